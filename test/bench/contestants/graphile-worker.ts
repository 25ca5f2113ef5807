import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import type { Contestant, NodeContext, RunningNode } from '../harness/contestant.js';

const TASK = 'bench';

interface Payload {
  readonly dueAtUnixMs: number;
}

/** As its documentation begins: one query to fetch a job, one to complete it. */
export const graphileWorker = graphile({});

/** As its documentation recommends where throughput is what counts. */
export const graphileWorkerWithLocalQueue = graphile({
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
});

function graphile(worker: Readonly<Record<string, unknown>>): Contestant {
  return {
    hasUnfinishedSql: 'select exists (select from graphile_worker._private_jobs)',
    async prepare(url) {
      const utils = await makeWorkerUtils({ connectionString: url });
      await utils.migrate();
      await utils.release();
    },
    async store(database, { count, firstAtUnixMs, spreadMs = 0 }) {
      await database.query(
        `select graphile_worker.add_jobs(array_agg((
           $4, json_build_object('dueAtUnixMs', due), null, to_timestamp(due / 1000.0), null, null, null, null
         )::graphile_worker.job_spec))
         from (select $1::bigint + (i * $2::float8 / $3::float8)::bigint as due
           from generate_series(0, $3::int - 1) as i) as fire`,
        [firstAtUnixMs, spreadMs, count, TASK],
      );
    },
    start: (context) => startRunner(context, worker),
  };
}

async function startRunner(
  { url, recorder, settings }: NodeContext,
  worker: Readonly<Record<string, unknown>>,
): Promise<RunningNode> {
  const { execute = true, ...others } = settings;
  const utils = await makeWorkerUtils({ connectionString: url });
  const runner =
    execute === false
      ? undefined
      : await run({
          preset: { worker: { concurrentJobs: 24, maxPoolSize: 12, ...worker, ...others } },
          connectionString: url,
          noHandleSignals: true,
          logger: new Logger(() => () => undefined),
          taskList: {
            [TASK]: (payload) => recorder.started((payload as Payload).dueAtUnixMs),
          },
        });
  return {
    async request() {
      const dueAtUnixMs = Date.now();
      await utils.addJob(TASK, { dueAtUnixMs });
      return dueAtUnixMs;
    },
    async stop() {
      await runner?.stop();
      await utils.release();
    },
  };
}
