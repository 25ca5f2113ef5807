import type { JsonValue, Run } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { allOf, Conditions } from '../statements/conditions.js';
import type { HistoryStep, RunHistorySearch } from './run-history.store.js';
import { schedulesNamed } from './named-schedules.js';
import { filtersOf, ofSchedules } from './run-search.js';
import { RUN_COLUMNS, toRun, type RunRow } from '../runs/run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which runs to list, and where the list begins. */
export interface RunSelection extends RunHistorySearch, HistoryStep {}

/** A run, and the params of its own where it has any. */
export interface JournaledRunDetail {
  readonly run: Run;
  readonly params: JsonValue | undefined;
}

/** Reads the journal. */
export class JournalStore {
  private readonly findText: string;

  constructor(private readonly schema: StoreSchema) {
    this.findText = `
      select ${RUN_COLUMNS}, r.params::text as params_json from ${schema.run} r where r.id = $1`;
  }

  async find(executor: Executor, runId: string): Promise<JournaledRunDetail | undefined> {
    const [row] = await executor.query<RunRow & { readonly params_json: string | null }>(this.findText, [
      runId,
    ]);
    return row === undefined
      ? undefined
      : {
          run: toRun(row),
          params: row.params_json === null ? undefined : (JSON.parse(row.params_json) as JsonValue),
        };
  }

  /** Lists runs, the newest claim first: ids sort by it. */
  async list(executor: Executor, { scheduleName, beforeId, limit, ...search }: RunSelection): Promise<Run[]> {
    const scheduleIds = await schedulesNamed(executor, this.schema, scheduleName);
    const conditions = new Conditions();
    const where = allOf([
      ...ofSchedules(scheduleIds, conditions),
      filtersOf(search, conditions, this.schema),
      ...conditions.where(beforeId, (value) => `r.id < ${value}::uuid`),
    ]);
    const rows = await executor.query<RunRow>(
      `select ${RUN_COLUMNS} from ${this.schema.run} r where ${where}
       order by r.id desc limit ${conditions.parameter(limit)}`,
      conditions.values,
    );
    return rows.map(toRun);
  }
}
