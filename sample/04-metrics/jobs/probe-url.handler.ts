import { Injectable } from '@nestjs/common';
import { every, type Execution, JobHandler } from 'nestjs-cron-store';

/**
 * Asks whether `PROBE_URL` answers, and fails where it does not: name one that is wrong, and watch the failures on the
 * dashboard.
 */
@Injectable()
@JobHandler({
  name: 'probe-url',
  defaultSchedule: { trigger: every('5s'), timeout: '3s', retry: { maxAttempts: 2, backoffMs: 1_000 } },
})
export class ProbeUrlHandler implements JobHandler {
  private readonly url =
    process.env['PROBE_URL'] ?? `http://127.0.0.1:${process.env['METRICS_PORT'] ?? 9464}/metrics`;

  async execute({ signal }: Execution): Promise<void> {
    const response = await fetch(this.url, { signal });
    if (!response.ok) {
      throw new Error(`The probe was answered with ${response.status}.`);
    }
    await response.body?.cancel();
  }
}
