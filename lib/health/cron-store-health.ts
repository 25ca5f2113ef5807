import { Inject, Injectable } from '@nestjs/common';
import { CronStoreEngine, type EngineStatus } from '../engine/index.js';
import { JobHandlerRegistry } from '../jobs/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { CRON_STORE_STORAGE, isConnectionFailure, SCHEMA_VERSION, type Storage } from '../storage/index.js';
import type { DegradedReason, DownReason, HealthReport } from './health-report.js';
import { type HealthThresholds, resolveThresholds, type ResolvedThresholds } from './health-thresholds.js';

/** What the database told. */
type Probe =
  | { readonly kind: 'answered'; readonly lagMs: number }
  | { readonly kind: 'failed'; readonly reason: DownReason }
  | { readonly kind: 'none' };

/**
 * Tells how this process's part of the store is. Provide it in any module that sees the exports of `CronStoreModule`.
 *
 * A process that only manages is `up` while the database answers, and one whose store is disabled always.
 */
@Injectable()
export class CronStoreHealth {
  private probing: Promise<Probe> | undefined;

  constructor(
    @Inject(CronStoreEngine) private readonly engine: CronStoreEngine,
    @Inject(JobHandlerRegistry) private readonly registry: JobHandlerRegistry,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
  ) {}

  /**
   * Asks the engine, and the database. Answers within `timeout`, whatever the database does: what fails is in the
   * report, as a word.
   *
   * @throws CronStoreOptionsError when a threshold is not what it must be, and for no other reason.
   */
  async check(thresholds: HealthThresholds = {}): Promise<HealthReport> {
    const resolved = resolveThresholds(thresholds, this.options);
    const probe = await this.probe(resolved.timeoutMs);
    const status = this.engine.status();
    const lagMs = probe.kind === 'answered' && status.state !== 'disabled' ? probe.lagMs : undefined;
    const down = [...(probe.kind === 'failed' ? [probe.reason] : []), ...whyDown(status, resolved)];
    const degraded = whyDegraded(status, lagMs, resolved);
    const { faults: _faults, ...facts } = status;
    return {
      status: down.length > 0 ? 'down' : degraded.length > 0 ? 'degraded' : 'up',
      reasons: [...down, ...degraded],
      ...facts,
      ...(lagMs === undefined ? {} : { lagMs }),
      schemaVersion: SCHEMA_VERSION,
    };
  }

  /** Checks at the same time share one question, so that they do not pile up while the database does not answer. */
  private async probe(timeoutMs: number): Promise<Probe> {
    const { storage } = this;
    if (storage === undefined || this.engine.status().state === 'stopped') {
      return { kind: 'none' };
    }
    this.probing ??= this.ask(storage).finally(() => {
      this.probing = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const unanswered = new Promise<Probe>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'failed', reason: 'database_unreachable' }), timeoutMs);
    });
    try {
      return await Promise.race([this.probing, unanswered]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(storage: Storage): Promise<Probe> {
    try {
      const lagMs = await storage.health.readLag(this.registry.names(), this.options.misfireThreshold);
      return { kind: 'answered', lagMs };
    } catch (error) {
      return {
        kind: 'failed',
        reason: isConnectionFailure(error) ? 'database_unreachable' : 'database_refused',
      };
    }
  }
}

function whyDown(status: EngineStatus, { maxPassAgeMs }: ResolvedThresholds): readonly DownReason[] {
  switch (status.state) {
    case 'disabled':
      return [];
    case 'starting':
    case 'stopping':
    case 'stopped':
      return [status.state];
    case 'running':
    case 'degraded':
      return [
        ...((status.lastPassAgeMs ?? 0) > maxPassAgeMs ? (['pass_overdue'] as const) : []),
        ...(status.detached >= status.slots ? (['slots_lost'] as const) : []),
      ];
  }
}

function whyDegraded(
  { faults, detached }: EngineStatus,
  lagMs: number | undefined,
  { maxLagMs, maxDetached }: ResolvedThresholds,
): readonly DegradedReason[] {
  return [
    ...faults,
    ...((lagMs ?? 0) > maxLagMs ? (['lag_exceeded'] as const) : []),
    ...(detached > maxDetached ? (['detached_exceeded'] as const) : []),
  ];
}
