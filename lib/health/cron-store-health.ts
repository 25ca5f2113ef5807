import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { EngineFault, EngineStatus } from '../engine/index.js';
import { isConnectionFailure, SCHEMA_VERSION, type Storage, type StoreHealth } from '../storage/index.js';
import { type StoreParts, storePartsOf } from '../store-parts.js';
import type { DegradedReason, DownReason, HealthReport } from './health-report.js';
import { type HealthCheckOptions, resolveThresholds, type ResolvedThresholds } from './health-thresholds.js';

/** What the database told. */
type Probe =
  | ({ readonly kind: 'answered' } & StoreHealth)
  | { readonly kind: 'failed'; readonly reason: DownReason }
  | { readonly kind: 'none' };

/**
 * Tells how this process's part of a store is. Provide it in any module of the application.
 *
 * A process that only manages is `up` while the database answers and the store is not another environment's; one whose
 * store is disabled always.
 */
@Injectable()
export class CronStoreHealth {
  private readonly probing = new Map<StoreParts, Promise<Probe>>();

  constructor(@Inject(ModuleRef) private readonly application: ModuleRef) {}

  /**
   * Asks the engine, and the database. Answers within `timeout`, whatever the database does: what fails is in the
   * report, as a word.
   *
   * @throws CronStoreOptionsError when a threshold is not what it must be; Error when the application has no such store;
   *   and for no other reason.
   */
  async check({ store, ...thresholds }: HealthCheckOptions = {}): Promise<HealthReport> {
    const parts = storePartsOf(this.application, store);
    const resolved = resolveThresholds(thresholds, parts.options);
    const probe = await this.probe(parts, resolved.timeoutMs);
    const status = parts.engine.status();
    const lagMs = probe.kind === 'answered' && status.state !== 'disabled' ? probe.lagMs : undefined;
    const down = [...(probe.kind === 'failed' ? [probe.reason] : []), ...whyDown(status, resolved)];
    // Of a process without a node there is nobody else who notices.
    const mismatch: readonly EngineFault[] =
      probe.kind === 'answered' && !probe.isOurs ? ['environment_mismatch'] : [];
    const faults = [...new Set([...mismatch, ...status.faults])];
    const degraded = whyDegraded({ ...status, faults }, lagMs, resolved);
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
  private async probe(parts: StoreParts, timeoutMs: number): Promise<Probe> {
    const { storage, engine } = parts;
    if (storage === undefined || engine.status().state === 'stopped') {
      return { kind: 'none' };
    }
    const probing =
      this.probing.get(parts) ?? this.ask(parts, storage).finally(() => this.probing.delete(parts));
    this.probing.set(parts, probing);
    let timer: NodeJS.Timeout | undefined;
    const unanswered = new Promise<Probe>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'failed', reason: 'database_unreachable' }), timeoutMs);
    });
    try {
      return await Promise.race([probing, unanswered]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask({ registry, options }: StoreParts, storage: Storage): Promise<Probe> {
    try {
      const health = await storage.health.read(registry.names(), options.misfireThreshold);
      return { kind: 'answered', ...health };
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
