import PgBoss from 'pg-boss';
import type { Contestant, NodeContext, RunningNode } from '../harness/contestant.js';

const QUEUE = 'bench';

interface Data {
  readonly dueAtUnixMs: number;
}

/** Workers of one job at a time, so that each job has an outcome of its own, as a fire of ours has. */
export const pgBoss = boss({ workers: 24, batchSize: 1 });

/** One worker of many jobs at a time, which succeed or fail together. */
export const pgBossInBatches = boss({ workers: 1, batchSize: 512 });

interface Workers {
  readonly workers: number;
  readonly batchSize: number;
}

function boss(workers: Workers): Contestant {
  return {
    hasUnfinishedSql: `select exists (select from pgboss.job where name = '${QUEUE}' and state < 'completed')`,
    async prepare(url) {
      const boss = await started(url);
      await boss.createQueue(QUEUE);
      await boss.stop({ graceful: false });
    },
    async store(database, { count, firstAtUnixMs, spreadMs = 0 }) {
      await database.query(
        `insert into pgboss.job (name, data, start_after)
         select $4, json_build_object('dueAtUnixMs', due), to_timestamp(due / 1000.0)
         from (select $1::bigint + (i * $2::float8 / $3::float8)::bigint as due
           from generate_series(0, $3::int - 1) as i) as fire`,
        [firstAtUnixMs, spreadMs, count, QUEUE],
      );
    },
    start: (context) => startWorkers(context, workers),
  };
}

async function startWorkers(
  { url, recorder, settings }: NodeContext,
  { workers, batchSize }: Workers,
): Promise<RunningNode> {
  const boss = await started(url);
  const ids: string[] = [];
  for (let worker = 0; worker < workers && settings['execute'] !== false; worker += 1) {
    // As often as it can be told to look; and who has found something looks again at once.
    const id = await boss.work<Data>(QUEUE, { pollingIntervalSeconds: 0.5, batchSize }, async (jobs) => {
      jobs.forEach(({ data }) => recorder.started(data.dueAtUnixMs));
      boss.notifyWorker(ids[worker] ?? '');
    });
    ids.push(id);
  }
  return {
    async request() {
      const dueAtUnixMs = Date.now();
      await boss.send(QUEUE, { dueAtUnixMs });
      return dueAtUnixMs;
    },
    stop: () => boss.stop({ graceful: false }),
  };
}

async function started(url: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: 12 });
  boss.on('error', (error) => console.error(error));
  return boss.start();
}
