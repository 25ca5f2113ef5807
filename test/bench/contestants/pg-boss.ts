import PgBoss from 'pg-boss';
import type { Contestant, NodeContext, RunningNode } from '../harness/contestant.js';

const QUEUE = 'bench';

interface Data {
  readonly dueAtUnixMs: number;
}

/** A worker that polls as often as it can be told to, and takes a batch each time. */
export const pgBoss = boss({ isNotified: false });

/** The same, and each batch wakes the worker for the next one. */
export const pgBossNotified = boss({ isNotified: true });

function boss({ isNotified }: { readonly isNotified: boolean }): Contestant {
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
    start: (context) => startWorker(context, isNotified),
  };
}

async function startWorker(
  { url, recorder, settings }: NodeContext,
  isNotified: boolean,
): Promise<RunningNode> {
  const { execute = true, ...others } = settings;
  const boss = await started(url);
  if (execute !== false) {
    const options = { pollingIntervalSeconds: 0.5, batchSize: 512, ...others };
    const workerId = await boss.work<Data>(QUEUE, options, async (jobs) => {
      jobs.forEach(({ data }) => recorder.started(data.dueAtUnixMs));
      if (isNotified) {
        boss.notifyWorker(workerId);
      }
    });
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
  const boss = new PgBoss({ connectionString: url });
  boss.on('error', (error) => console.error(error));
  return boss.start();
}
