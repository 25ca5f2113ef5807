import { Inject, Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { CronStoreHealth } from './cron-store-health.js';
import type { HealthCheckOptions } from './health-thresholds.js';

type Answer<Key extends string> = (details: Record<string, unknown>) => HealthIndicatorResult<Key>;

/** What Terminus has to make an answer with. */
interface Session<Key extends string> {
  readonly up: Answer<Key>;
  readonly down: Answer<Key>;
  /** Not in Terminus 11. */
  readonly degraded?: Answer<Key>;
}

/** `CronStoreHealth` as an indicator of `@nestjs/terminus`. Provide it beside it, in a module that imports `TerminusModule`. */
@Injectable()
export class CronStoreHealthIndicator {
  constructor(
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
    @Inject(CronStoreHealth) private readonly health: CronStoreHealth,
  ) {}

  /**
   * Checks, and answers with the report as the details of the key. `degraded` does not fail a health check; Terminus 11,
   * which does not know it, reports it as `up`, with its reasons.
   *
   * @throws CronStoreOptionsError when a threshold is not what it must be; Error when the application has no such store;
   *   and for no other reason.
   */
  async isHealthy<const Key extends string>(
    key: Key,
    options: HealthCheckOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const { status, ...details } = await this.health.check(options);
    const session: Session<Key> = this.indicators.check(key);
    switch (status) {
      case 'up':
        return session.up(details);
      case 'degraded':
        return session.degraded?.(details) ?? session.up(details);
      case 'down':
        return session.down(details);
    }
  }
}
