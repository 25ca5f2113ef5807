import { Inject, Injectable } from '@nestjs/common';
import { metrics, trace } from '@opentelemetry/api';
import { RunEventPublisher } from '../events/index.js';
import { ExtensionsExplorer, JOB_REGISTRY, type JobHandlerRegistry } from '../jobs/index.js';
import { ExpiredPauses } from '../manager/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import type { NodeDescription, Storage } from '../storage/index.js';
import { StoreLogger } from '../store-logger.js';
import { INSTRUMENTATION_SCOPE, RunMetrics, RunTracer, StoreGauges } from '../telemetry/index.js';
import { ClaimNotifier } from './claiming/claim-notifier.js';
import { Claimer } from './claiming/claimer.js';
import { Poller } from './claiming/poller.js';
import { RunSlots } from './claiming/run-slots.js';
import { WakeUps } from './claiming/wake-ups.js';
import { EngineNode } from './engine-node.js';
import { RunAnnouncer } from './execution/run-announcer.js';
import { RunLifecycle } from './execution/run-lifecycle.js';
import { createHeartbeatThread } from './heartbeat/create-heartbeat-thread.js';
import { Heartbeat } from './heartbeat/heartbeat.js';
import { createNodeIdentity, type NodeIdentity } from './node-identity.js';
import { PACKAGE_VERSION } from './package-version.js';
import { StoreTime } from './timing/store-time.js';
import { RecoverySweep } from './upkeep/recovery-sweep.js';
import { Retention } from './upkeep/retention.js';
import { Vigil } from './upkeep/vigil.js';

/** Puts a node together: which parts there are, and which of them know each other. */
@Injectable()
export class EngineNodeFactory {
  constructor(
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly extensions: ExtensionsExplorer,
    private readonly expiredPauses: ExpiredPauses,
    private readonly events: RunEventPublisher,
  ) {}

  /** Makes a node, which does nothing yet. */
  create(storage: Storage): EngineNode {
    const { options, registry, events } = this;
    const { abandonedAfter: abandonedAfterMs, heartbeatInterval, maxRecoveries } = options;
    const identity = createNodeIdentity();
    const nodeId = identity.id;
    const logger = new StoreLogger({ nodeId });
    const slots = new RunSlots(options.maxConcurrent);
    const storeTime = new StoreTime();
    const vigil = new Vigil(heartbeatInterval, abandonedAfterMs);
    const description = descriptionOf(identity, registry, slots);
    const telemetry = this.telemetryOf(storage, slots, nodeId);
    const runs = new RunLifecycle({
      execution: {
        store: options.name,
        nodeId,
        registry,
        interceptors: this.extensions.runInterceptors(),
        handlerTransactions: storage.handlerTransactions,
        slots,
        storeTime,
        events,
        metrics: telemetry.metrics,
        tracer: telemetry.tracer,
        defaultBounds: { timeoutMs: options.runTimeout, abortGraceMs: options.abortGrace },
      },
      outcomeStore: storage.outcomes,
      announcer: new RunAnnouncer(events, nodeId, telemetry.metrics),
      onMayClaim: () => poller.wake(),
    });
    const heartbeat = new Heartbeat({
      storage,
      node: description,
      slots,
      endedRuns: () => runs.endedRuns(),
      vigil,
      storeTime,
      intervalMs: heartbeatInterval,
      thread: createHeartbeatThread(storage, options, nodeId),
    });
    const sweep = new RecoverySweep({
      storage,
      nodeId,
      vigil,
      abandonedAfterMs,
      maxRecoveries,
      onTakenOver: (takenOver) => runs.onTakenOver(takenOver),
    });
    const claimer = new Claimer({
      storage,
      nodeId,
      registry,
      slots,
      vigil,
      storeTime,
      options,
      expiredPauses: this.expiredPauses,
      notifier: new ClaimNotifier(this.extensions.claimObservers(), { store: options.name, nodeId }),
      onClaimed: (result) => runs.onClaimed(result),
    });
    const poller = new Poller(claimer, options.pollInterval, logger);
    return new EngineNode({
      storage,
      description,
      slots,
      poller,
      wakeUps: new WakeUps(storage, { poller, heartbeat }, logger),
      outcomes: runs.outcomes,
      heartbeat,
      sweep,
      retention: new Retention(storage, options, nodeId),
      gauges: telemetry.gauges,
      metrics: telemetry.metrics,
      events,
      shutdownTimeoutMs: options.shutdownTimeout,
    });
  }

  private telemetryOf(
    storage: Storage,
    slots: RunSlots,
    nodeId: string,
  ): { readonly metrics: RunMetrics; readonly gauges: StoreGauges; readonly tracer: RunTracer } {
    const { name: store, schema, abandonedAfter } = this.options;
    const meter = metrics.getMeter(INSTRUMENTATION_SCOPE, PACKAGE_VERSION);
    const tracer = trace.getTracer(INSTRUMENTATION_SCOPE, PACKAGE_VERSION);
    return {
      metrics: new RunMetrics(meter, { store, schema }, this.registry.names()),
      gauges: new StoreGauges(meter, {
        store,
        schema,
        slots: () => slots.use,
        load: () => storage.load.read(abandonedAfter),
      }),
      tracer: new RunTracer(tracer, { store, nodeId }),
    };
  }
}

function descriptionOf(
  identity: NodeIdentity,
  registry: JobHandlerRegistry,
  slots: RunSlots,
): NodeDescription {
  return {
    ...identity,
    // Of the moment: jobs may be registered while the node runs.
    get jobNames() {
      return registry.names();
    },
    slots: slots.size,
    version: PACKAGE_VERSION,
  };
}
