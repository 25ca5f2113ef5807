import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { AuditTrail, type AuditEntry } from '../../manager/index.js';

/** How often one operation's anonymous attempts are put on record at most. */
const RECORDING_INTERVAL_MS = 60_000;

/**
 * Puts denied attempts of nobody in particular on record, at most one record a minute for each action: a flood of them
 * must not fill the audit trail. The first is recorded at once; those that follow within the minute are counted, and
 * recorded together at its end, with what is known of the latest. What is still counted is recorded at shutdown.
 */
@Injectable()
export class AnonymousAttempts implements BeforeApplicationShutdown {
  private readonly counters = new Map<string, Counter>();
  private isClosing = false;

  constructor(private readonly trail: AuditTrail) {}

  async record(entry: AuditEntry): Promise<void> {
    const key = `${entry.resource} ${entry.action} ${entry.code}`;
    const counter = this.counters.get(key);
    if (counter !== undefined && !this.isClosing) {
      counter.attempts += 1;
      counter.latest = entry;
      return;
    }
    this.count(key);
    await this.trail.record(entry);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.counters.keys()].map((key) => this.flush(key)));
  }

  private count(key: string): void {
    if (!this.isClosing) {
      const timer = setTimeout(() => void this.flush(key), RECORDING_INTERVAL_MS);
      timer.unref();
      this.counters.set(key, { attempts: 0, latest: undefined, timer });
    }
  }

  /** Records what was counted, and goes on counting for as long as there is something to count. */
  private async flush(key: string): Promise<void> {
    const counter = this.counters.get(key);
    clearTimeout(counter?.timer);
    this.counters.delete(key);
    if (counter?.latest !== undefined) {
      this.count(key);
      await this.trail.record({ ...counter.latest, attempts: counter.attempts });
    }
  }
}

interface Counter {
  attempts: number;
  latest: AuditEntry | undefined;
  readonly timer: NodeJS.Timeout;
}
