import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTarball } from '../package/support/tarball.js';
import { collectEvidence, named, type Evidence } from '../soak/checks/evidence.js';
import { CHECKS } from '../soak/checks/index.js';
import { DELIBERATE_ERROR } from '../soak/node/protocol.js';
import { Operators } from '../soak/support/operators.js';
import { Random } from '../soak/support/random.js';
import { untilSettled } from '../soak/support/settlement.js';
import { SoakDatabase } from '../soak/support/soak-database.js';
import { Fleet, JOBS, OWNED } from './support/fleet.js';
import { InstalledVersion } from './support/installed-version.js';
import { unexpectedLines } from './support/logs.js';
import { previousTarball } from './support/previous.js';
import { createOnce, createSteady, RECOVERED, RETRIED, STEADY_NAMES } from './support/schedules.js';

const OPERATORS_SEED = 1;
/** Schedules that operators create, change, pause, fire, hold and delete all the time, each on a node of either version. */
const CHANGING_NAMES = Array.from({ length: 8 }, (_, index) => `changing ${index + 1}`) as [
  string,
  ...string[],
];
/** What the clock is moved by while both versions are at work: more than `misfireThreshold`. */
const CLOCK_STEP_MS = 4_000;

describe('a rolling upgrade, and the way back', () => {
  let previous: InstalledVersion;
  let present: InstalledVersion;
  let database: SoakDatabase;
  let folder: string;
  let fleet: Fleet;
  let operators: Operators;
  let evidence: Evidence;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-upgrade-'));
    const tarball = await packTarball();
    [previous, present] = await Promise.all([
      previousTarball().then((path) => InstalledVersion.install('the previous version', path)),
      InstalledVersion.install('the present version', tarball.path),
    ]);
    await tarball.remove();
    database = await SoakDatabase.create();
    fleet = new Fleet(database, folder);
    try {
      await roll();
    } catch (error) {
      // Once, beside the error, which every test repeats.
      console.error(fleet.logs);
      throw error;
    }
  }, 600_000);

  afterAll(async () => {
    await fleet?.close();
    await database?.drop();
    await Promise.all([previous?.remove(), present?.remove()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** From the first node of the previous version to the last one, by way of the present one. */
  async function roll(): Promise<void> {
    const old1 = await fleet.start(previous, 'previous 1', { autoMigrate: true });
    await database.installWitness();
    const old2 = await fleet.start(previous, 'previous 2');
    await createSteady(old1);
    operators = new Operators(
      Random.derived(OPERATORS_SEED, 'operators'),
      CHANGING_NAMES,
      fleet.working,
      database,
      (random) => random.pick(JOBS),
    );
    await operators.createAll();
    const over = new AbortController();
    const operatorsWork = operators.work(over.signal);
    try {
      await createOnce(old2, 'once, of the previous version', await database.now());
      await fleet.untilExecutedBy([previous], STEADY_NAMES);

      // The migrations run while the previous version is at work, and it goes on.
      await present.command(database.url, 'migrate', 'up');
      await fleet.untilExecutedBy([previous], STEADY_NAMES);

      // Both versions at once, also where occurrences are late.
      const new1 = await fleet.start(present, 'present 1');
      const new2 = await fleet.start(present, 'present 2');
      await createOnce(old1, 'once, of the previous version, beside the present one', await database.now());
      await createOnce(new1, 'once, of the present version', await database.now());
      await fleet.untilExecutedBy([previous, present], STEADY_NAMES);
      await database.advanceClock(CLOCK_STEP_MS);
      await fleet.untilExecutedBy([previous, present], STEADY_NAMES);
      await fleet.untilRepeatedAcross('retry', previous, present);
      await fleet.untilRepeatedAcross('retry', present, previous);

      // The previous version goes, one node by a crash.
      await fleet.killAtWork(old1, RECOVERED);
      await fleet.stop(old2);
      await fleet.untilRepeatedAcross('recovery', previous, present);
      await fleet.untilExecutedBy([present], STEADY_NAMES);

      // The way back, on the tables of the present version; that one goes by a crash as well.
      const old3 = await fleet.start(previous, 'previous 3', { autoMigrate: true });
      await createOnce(old3, 'once, after the way back', await database.now());
      await fleet.untilExecutedBy([previous, present], STEADY_NAMES);
      await fleet.killAtWork(new1, RECOVERED);
      await fleet.stop(new2);
      await fleet.untilRepeatedAcross('recovery', present, previous);
      await fleet.untilExecutedBy([previous], STEADY_NAMES);
    } finally {
      over.abort();
      await operatorsWork;
    }
    await settle();
  }

  async function settle(): Promise<void> {
    await Promise.all(fleet.working.map((node) => node.ask('settle')));
    await operators.resumeAll();
    const settledAtUnixMs = await untilSettled(database, fleet.working);
    await Promise.all(fleet.working.map((node) => node.stop()));
    evidence = await collectEvidence(database, folder, {
      operations: operators.operations,
      acknowledgedHolds: operators.holds,
      settledAtUnixMs,
      maxRecoveries: 5,
    });
  }

  it('loses nothing and doubles nothing', () => {
    expect(CHECKS.flatMap((check) => check(evidence))).toEqual([]);
  });

  it('fires schedules of one instant once, whichever version created them', () => {
    const single = evidence.runs.filter(({ schedule_name: name }) => name.startsWith('once, '));
    const regular = single.filter(({ origin }) => origin === 'schedule');
    expect(regular.map(({ schedule_name: name }) => name).toSorted()).toEqual([
      'once, after the way back',
      'once, of the present version',
      'once, of the previous version',
      'once, of the previous version, beside the present one',
    ]);
    expect(single.filter(({ origin }) => origin === 'manual')).toHaveLength(regular.length);
    expect(single.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('fails no run whose handler did not throw or take too long', () => {
    const failed = evidence.runs.filter(({ status }) => status === 'failed');
    expect(failed.some(({ schedule_name: name }) => name === RETRIED)).toBe(true);
    expect(
      failed.filter((run) => run.error !== DELIBERATE_ERROR && !isTooSlow(run)).map(describeRun),
    ).toEqual([]);
  });

  it('abandons no run but those of nodes that were killed', () => {
    const abandoned = evidence.runs.filter(({ status }) => status === 'abandoned');
    const nodeIds = new Set(abandoned.map((run) => run.node_id));
    expect(nodeIds).toEqual(new Set(fleet.killed.map(({ id }) => id)));
  });

  it('accounts for what was late', () => {
    expect(evidence.runs.filter(({ missed_count: count }) => count > 0)).not.toEqual([]);
  });

  it('leaves a schedule alone that the code of both versions owns', () => {
    const owned = evidence.histories.filter(({ name }) => name === OWNED.name);
    expect(owned.map(({ lastRow }) => lastRow?.version)).toEqual([1]);
  });

  it('lets operators work with either version', () => {
    const outcomes = new Set(evidence.operations.map(({ outcome }) => outcome));
    expect(outcomes).toContain('done');
    const unknown = evidence.operations.filter(({ outcome }) => outcome === 'unknown');
    expect(unknown.filter(({ result }) => !String(result).startsWith('The process ended'))).toEqual([]);
  });

  it('has nobody say more of trouble than the journal does', async () => {
    expect(await unexpectedLines(folder, evidence)).toEqual([]);
    expect(fleet.nodes.flatMap(({ misdeed = [] }) => misdeed)).toEqual([]);
  });
});

/** Operators change how long runs may take. */
function isTooSlow({ reason, schedule_name: name }: Evidence['runs'][number]): boolean {
  return reason === 'timeout' && !STEADY_NAMES.includes(name);
}

function describeRun(run: Evidence['runs'][number]): string {
  return `${named(run)}, ${run.node_id}: ${run.error}`;
}
