import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Contestant, NodeContext, RunningNode } from '../harness/contestant.js';
import type { Recorder } from '../harness/recorder.js';
import { tuned } from './cron-store.js';

const DAY_MS = 86_400_000;
const IDLE_PAUSE_MS = 20;
const NODE_ID = `floor:${process.pid}`;

interface DueSchedule {
  readonly id: string;
  readonly name: string;
  readonly job_name: string;
  readonly due: string;
}

/**
 * What the database itself takes: the row writes of our tables and nothing else. Two connections, one claims while the
 * other writes how the batch before ended. Nothing is evaluated, checked, timed out, recovered or told.
 */
export const floor: Contestant = {
  prepare: tuned.prepare,
  store: tuned.store,
  hasUnfinishedSql: tuned.hasUnfinishedSql,
  start,
};

const LOCK = `
  select id, name, job_name, next_fire_at_unix_ms as due from crn_schedule
  where is_enabled and parked_reason is null and next_fire_at_unix_ms is not null and next_fire_at_unix_ms <= $1
  order by next_fire_at_unix_ms limit $2
  for update skip locked`;

const CLAIM = `
  with fire as (
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[])
      as fire (run_id, id, name, job_name, due, key)
  ), advanced as (
    update crn_schedule s set next_fire_at_unix_ms = fire.due + ${DAY_MS}, last_fire_at_unix_ms = fire.due,
      accounted_until_unix_ms = fire.due
    from fire where s.id = fire.id
  )
  insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms, occurrence_at_unix_ms,
    claimed_at_unix_ms, status, node_id, heartbeat_at_unix_ms, missed_count, attempt, recoveries, idempotency_key,
    created_at_unix_ms, created_by)
  select run_id, id, name, job_name, 'schedule', due, due, $7, 'running', $8, $7, 0, 1, 0, key, $7, 'system'
  from fire
  on conflict do nothing`;

const END = `
  update crn_run r set status = 'succeeded', started_at_unix_ms = ended.at, finished_at_unix_ms = ended.at,
    duration_ms = 0
  from unnest($1::uuid[], $2::bigint[]) as ended (id, at)
  where r.id = ended.id and r.node_id = $3`;

async function start({ url, recorder, settings }: NodeContext): Promise<RunningNode> {
  const [claiming, ending] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([claiming.connect(), ending.connect()]);
  const stop = new AbortController();
  const batchSize = Number(settings['batchSize'] ?? 512);
  const loop = execute(claiming, ending, recorder, { batchSize, stop: stop.signal });
  return {
    request: () => Promise.reject(new Error('The floor executes what is due, and nothing else.')),
    stop: async () => {
      stop.abort();
      await loop;
      await Promise.all([claiming.end(), ending.end()]);
    },
  };
}

async function execute(
  claiming: pg.Client,
  ending: pg.Client,
  recorder: Recorder,
  { batchSize, stop }: { readonly batchSize: number; readonly stop: AbortSignal },
): Promise<void> {
  let ended: Promise<unknown> = Promise.resolve();
  while (!stop.aborted) {
    const runs = await claim(claiming, batchSize);
    if (runs.length === 0) {
      await delay(IDLE_PAUSE_MS);
      continue;
    }
    runs.forEach(({ due }) => recorder.started(Number(due)));
    await ended;
    ended = end(ending, runs);
  }
  await ended;
}

async function claim(client: pg.Client, batchSize: number) {
  const nowUnixMs = Date.now();
  await client.query('begin');
  const { rows } = await client.query<DueSchedule>({
    name: 'lock',
    text: LOCK,
    values: [nowUnixMs, batchSize],
  });
  if (rows.length === 0) {
    await client.query('commit');
    return [];
  }
  const runs = rows.map((row) => Object.assign(row, { runId: idAt(nowUnixMs) }));
  await client.query({
    name: 'claim',
    text: CLAIM,
    values: [
      runs.map((run) => run.runId),
      runs.map((run) => run.id),
      runs.map((run) => run.name),
      runs.map((run) => run.job_name),
      runs.map((run) => run.due),
      runs.map((run) => `${run.id}:${run.due}`),
      nowUnixMs,
      NODE_ID,
    ],
  });
  await client.query('commit');
  return runs;
}

async function end(client: pg.Client, runs: readonly { readonly runId: string }[]): Promise<void> {
  const nowUnixMs = Date.now();
  await client.query({
    name: 'end',
    text: END,
    values: [runs.map((run) => run.runId), runs.map(() => nowUnixMs), NODE_ID],
  });
}

let lastSequence = 0;

/** As ours, an id that sorts by time: the index grows at its end. */
function idAt(unixMs: number): string {
  lastSequence = (lastSequence + 1) % 0x1000;
  const time = unixMs.toString(16).padStart(12, '0');
  const sequence = lastSequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}${randomUUID().slice(18)}`;
}
