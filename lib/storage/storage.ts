import type { ClientConfig } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { AgendaStore } from './claims/agenda.store.js';
import { AuditPageStore } from './audit/audit-page.store.js';
import { AuditStore } from './audit/audit.store.js';
import { BackfillStore } from './schedules/backfill.store.js';
import { CancelRequests } from './runs/cancel-requests.js';
import { ClaimCandidatesStore } from './claims/claim-candidates.store.js';
import { ClaimStore } from './claims/claim.store.js';
import { connectionOptionsOf, threadOptionsOf } from './connections/connection-options.js';
import { withinCallersTransaction } from './connections/callers-transaction.js';
import { Connections, type Transaction } from './connections/connections.js';
import { EnvironmentStore } from './environment.store.js';
import { ExpiredPauseStore } from './schedules/expired-pause.store.js';
import { FireRequests } from './schedules/fire-requests.js';
import { HandlerTransactions } from './connections/handler-transaction.js';
import { HealthStore } from './nodes/health.store.js';
import { HeartbeatStore } from './nodes/heartbeat.store.js';
import { HoldStore } from './schedules/hold.store.js';
import { JournalStore } from './journal/journal.store.js';
import { LoadStore } from './nodes/load.store.js';
import { NodeStore } from './nodes/node.store.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { RetentionStore } from './journal/retention.store.js';
import { RunAttemptsStore } from './journal/run-attempts.store.js';
import { RunHistoryStore } from './journal/run-history.store.js';
import { RunPageStore } from './journal/run-page.store.js';
import { SchedulePageStore } from './schedules/schedule-page.store.js';
import { ScheduleStore } from './schedules/schedule.store.js';
import { RunStatisticsStore } from './journal/run-statistics.store.js';
import { SeedStore } from './schedules/seed.store.js';
import { StaleRunsStore } from './runs/stale-runs.store.js';
import type { StoreClock } from './store-clock.js';
import { StoreSchema } from './schema/store-schema.js';
import { Takeover } from './runs/takeover.js';
import { UpcomingStore } from './schedules/upcoming.store.js';
import { WakeUp } from './wake-ups/wake-up.js';
import { ZoneRulesStore } from './schedules/zone-rules.store.js';
import { WakeUpListener, type WakeUpObserver } from './wake-ups/wake-up.listener.js';

/** How a store is reached. */
export interface StorageOptions {
  readonly dataSource: DataSource;
  readonly schema: string;
  /** The environment of this application; undefined where it declares none. */
  readonly environment: string | undefined;
  readonly clock: StoreClock;
  /** False behind a transaction-pooling proxy: neither notifications nor prepared statements. */
  readonly listen: boolean;
  /** Hears of idle connections that died. */
  readonly onConnectionError: (error: Error) => void;
}

/** One store: everything that reads or writes its tables, on its own connections. */
export class Storage {
  readonly schema: StoreSchema;
  readonly connections: Connections;
  readonly agenda: AgendaStore;
  readonly audit: AuditStore;
  readonly backfills: BackfillStore;
  readonly cancelRequests: CancelRequests;
  readonly auditPages: AuditPageStore;
  readonly claims: ClaimStore;
  readonly environment: EnvironmentStore;
  readonly expiredPauses: ExpiredPauseStore;
  readonly handlerTransactions: HandlerTransactions;
  readonly health: HealthStore;
  readonly heartbeats: HeartbeatStore;
  readonly holds: HoldStore;
  readonly journal: JournalStore;
  readonly load: LoadStore;
  readonly nodes: NodeStore;
  readonly outcomes: OutcomeStore;
  readonly requests: FireRequests;
  readonly retention: RetentionStore;
  readonly runAttempts: RunAttemptsStore;
  readonly runHistory: RunHistoryStore;
  readonly runPages: RunPageStore;
  readonly runStatistics: RunStatisticsStore;
  readonly schedulePages: SchedulePageStore;
  readonly schedules: ScheduleStore;
  readonly seeds: SeedStore;
  readonly staleRuns: StaleRunsStore;
  readonly upcoming: UpcomingStore;
  readonly wakeUp: WakeUp;
  readonly zoneRules: ZoneRulesStore;

  constructor(private readonly options: StorageOptions) {
    const { dataSource, clock, listen, onConnectionError } = options;
    this.schema = new StoreSchema(options.schema);
    this.connections = new Connections(dataSource, clock, listen, onConnectionError);
    this.environment = new EnvironmentStore(this.schema, this.connections, options.environment);
    this.wakeUp = new WakeUp(this.schema);
    this.requests = new FireRequests(this.schema);
    const takeover = new Takeover(this.schema, this.requests);
    this.agenda = new AgendaStore(this.schema, clock, this.connections, this.environment);
    this.audit = new AuditStore(this.schema);
    this.cancelRequests = new CancelRequests(this.schema, this.wakeUp);
    this.backfills = new BackfillStore(this.schema);
    this.expiredPauses = new ExpiredPauseStore(this.schema);
    this.holds = new HoldStore(this.schema);
    this.claims = new ClaimStore(this.schema, {
      connections: this.connections,
      environment: this.environment,
      candidates: new ClaimCandidatesStore(this.schema),
      takeover,
      requests: this.requests,
      cancelRequests: this.cancelRequests,
    });
    this.auditPages = new AuditPageStore(this.schema);
    this.health = new HealthStore(this.schema, clock, this.connections, this.environment);
    this.heartbeats = new HeartbeatStore(this.schema, clock, this.connections);
    this.journal = new JournalStore(this.schema);
    this.load = new LoadStore(this.schema, clock, this.connections);
    this.nodes = new NodeStore(this.schema);
    this.outcomes = new OutcomeStore(this.schema, this.connections, this.requests);
    this.handlerTransactions = new HandlerTransactions(dataSource, this.connections, this.outcomes);
    this.retention = new RetentionStore(this.schema, this.connections);
    this.runAttempts = new RunAttemptsStore(this.schema);
    this.runHistory = new RunHistoryStore(this.schema);
    this.runPages = new RunPageStore(this.schema);
    this.runStatistics = new RunStatisticsStore(this.schema);
    this.schedulePages = new SchedulePageStore(this.schema);
    this.schedules = new ScheduleStore(this.schema);
    this.seeds = new SeedStore(this.schema);
    this.staleRuns = new StaleRunsStore(this.schema, clock, this.connections, this.environment, takeover);
    this.upcoming = new UpcomingStore(this.schema);
    this.zoneRules = new ZoneRulesStore(this.schema);
  }

  /** Runs work inside a caller's transaction, as `withinCallersTransaction` says. */
  async withinCallersTransaction<Result>(
    manager: EntityManager,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return withinCallersTransaction(this.options.dataSource, manager, async (executor) =>
      work({ executor, nowUnixMs: await this.connections.nowWithin(executor) }),
    );
  }

  /** A listener for wake-ups, where the store listens. */
  createListener(observer: WakeUpObserver): WakeUpListener | undefined {
    return this.options.listen
      ? new WakeUpListener(this.schema, connectionOptionsOf(this.options.dataSource), observer)
      : undefined;
  }

  /** The options of a connection that another thread is to open, as they are at this moment. */
  async threadOptions(): Promise<ClientConfig> {
    return threadOptionsOf(connectionOptionsOf(this.options.dataSource));
  }
}
