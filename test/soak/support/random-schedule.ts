import { cron, every, once, type ScheduleSpec, type Trigger } from '../../../lib/index.js';
import { HARMLESS_JOBS, type JobName, type JobParams } from '../node/protocol.js';
import type { Random } from './random.js';

type TimingSpec = Required<Pick<ScheduleSpec, 'trigger'>> & Pick<ScheduleSpec, 'startsAt' | 'endsAt'>;

/** What of a schedule may be changed while it lives. */
export type PolicySpec = Pick<
  ScheduleSpec,
  'misfirePolicy' | 'backfillLimit' | 'concurrencyPolicy' | 'retry' | 'timeout'
>;

const EXPRESSIONS = [
  '* * * * * *',
  '*/2 * * * * *',
  '*/5 * * * * *',
  '1-59/3 * * * * *',
  '7,22,37,52 * * * * *',
  '*/10 * * * * MON-SUN',
  '* * * * *',
] as const;
const ZONES = [
  'Asia/Kolkata',
  'America/New_York',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Chatham',
] as const;
const RATES = ['@every 2s', '@every:3000', '@every 7s'] as const;

/** Chooses the job of a schedule. */
export type JobChoice = (random: Random) => JobName;

/** Any job; one that kills its process is seldom, so that there are processes. */
export const anyJob: JobChoice = (random) => (random.chance(0.04) ? 'killing' : random.pick(HARMLESS_JOBS));

/** A random schedule that may be created at the store's now. */
export function randomSchedule(
  random: Random,
  name: string,
  nowUnixMs: number,
  chooseJob: JobChoice,
): ScheduleSpec {
  const jobName = chooseJob(random);
  return {
    name,
    jobName,
    params: { ms: random.integer(20, jobName === 'blocking' ? 300 : 2_500) } satisfies JobParams,
    // What kills its process does so now and then, so that there are processes.
    ...(jobName === 'killing'
      ? { trigger: every(random.integer(15_000, 40_000)) }
      : randomTiming(random, nowUnixMs)),
    ...randomPolicies(random),
    // For as long as the schedule lives, so that what it owes is known.
    recover: random.chance(0.6),
    enabled: random.chance(0.9),
  };
}

/** Random timing that has a fire after the store's now. */
export function randomTiming(random: Random, nowUnixMs: number): TimingSpec {
  const trigger = randomTrigger(random, nowUnixMs);
  if (trigger.kind === 'once' || random.chance(0.7)) {
    return { trigger };
  }
  return random.chance(0.5)
    ? { trigger, startsAt: nowUnixMs + random.integer(-20_000, 10_000) }
    : { trigger, endsAt: nowUnixMs + random.integer(65_000, 120_000) };
}

/** Random policies, each set. */
export function randomPolicies(random: Random): PolicySpec {
  const misfirePolicy = random.pick(['fire_now', 'skip', 'backfill']);
  return {
    misfirePolicy,
    ...(misfirePolicy === 'backfill' && random.chance(0.5) ? { backfillLimit: random.integer(1, 5) } : {}),
    concurrencyPolicy: random.pick(['forbid', 'allow', 'queue', 'replace']),
    ...(random.chance(0.5)
      ? { retry: { maxAttempts: random.integer(1, 3), backoffMs: random.integer(0, 800), factor: 2 } }
      : {}),
    timeout: random.pick([0, 700, 1_500, 4_000]),
  };
}

function randomTrigger(random: Random, nowUnixMs: number): Trigger {
  const kind = random.weighted([
    { kind: 'cron', weight: 4 },
    { kind: 'cron in a zone', weight: 3 },
    { kind: 'cron within hours', weight: 2 },
    { kind: 'rate', weight: 1 },
    { kind: 'interval', weight: 4 },
    { kind: 'once', weight: 1 },
  ] as const).kind;
  switch (kind) {
    case 'cron':
      return cron(random.pick(EXPRESSIONS));
    case 'cron in a zone':
      return cron(random.pick(EXPRESSIONS), random.pick(ZONES));
    case 'cron within hours':
      return withinHours(random, nowUnixMs);
    case 'rate':
      return cron(random.pick(RATES));
    case 'interval':
      return every(random.integer(1_000, 9_000));
    case 'once':
      return once(nowUnixMs + random.integer(2_000, 20_000));
  }
}

/** Every few seconds, but only in three hours around now by the clocks of the zone. */
function withinHours(random: Random, nowUnixMs: number): Trigger {
  const zone = random.pick(ZONES);
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format(nowUnixMs),
  );
  const hours = [hour, (hour + 1) % 24, (hour + 2) % 24].join(',');
  return cron(`*/${random.pick([3, 4, 6])} * ${hours} * * *`, zone, {
    dstGap: random.pick(['skip', 'run_after']),
  });
}
