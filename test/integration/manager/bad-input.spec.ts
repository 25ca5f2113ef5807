import fc from 'fast-check';
import {
  CronStoreError,
  cron,
  type MutationOptions,
  ScheduleInvalidError,
  ScheduleNotFoundError,
  type ScheduleSpec,
  TriggerInvalidError,
} from '../../../lib/index.js';
import { HOUR, NOON, rejectionOf, startStillStore, type StillStore } from './support/still-store.js';

/** Two hours that are over. */
const PAST = { from: NOON - 2 * HOUR, to: NOON };
const HOURLY = { jobName: 'job', trigger: cron('0 * * * *') };

function throws(): never {
  throw new Error('no reading');
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const EMPTY: readonly unknown[] = [];

/** What nobody sends on purpose, in any argument. `undefined` is left out: it means omitted. */
const GARBAGE: readonly unknown[] = [
  null,
  0,
  Number.NaN,
  1e308,
  -Infinity,
  1n,
  '',
  'text',
  'nul \0 inside',
  'lone \uD800 surrogate',
  'x'.repeat(1_000_000),
  true,
  Symbol('s'),
  () => undefined,
  EMPTY,
  [{}],
  { unknown: 1 },
  JSON.parse('{"__proto__":{"actor":"somebody"}}'),
  Object.create(null, { weird: { value: 1, enumerable: true } }),
  new Map([['actor', 'somebody']]),
  new Date(Number.NaN),
  revokedProxy(),
  new Proxy({}, { ownKeys: throws }),
  Object.defineProperty({}, 'actor', { get: throws, enumerable: true }),
];

function isText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}

/** Lets a call succeed, or fail with a typed error. */
async function typed(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(CronStoreError);
  }
}

describe('ScheduleManager, with bad input', () => {
  let store: StillStore;
  const name = 'existing';

  beforeAll(async () => {
    store = await startStillStore();
    await store.manager.create({ ...HOURLY, name, params: { a: 1 } });
  });

  afterAll(() => store.close());

  /** Asserts that every call is refused by a typed error, and that nothing has changed. */
  async function refuses(
    calls: readonly (() => Promise<unknown>)[],
    type: abstract new (...args: never[]) => Error = CronStoreError,
  ): Promise<void> {
    const before = await store.contents();
    for (const call of calls) {
      const error = await rejectionOf(call());
      expect(error).toBeInstanceOf(type);
      expect((error as Error).message.length).toBeLessThan(2_000);
    }
    expect(await store.contents()).toEqual(before);
  }

  /** Every method that takes the name of a schedule, called with the given one. */
  function withName(given: unknown): (() => Promise<unknown>)[] {
    const { manager } = store;
    const any = given as string;
    return [
      () => manager.update(any, HOURLY),
      () => manager.patch(any, { recover: true }),
      () => manager.delete(any),
      () => manager.pause(any),
      () => manager.resume(any),
      () => manager.triggerNow(any),
      () => manager.get(any),
      () => manager.cancelRunsOf(any),
      () => manager.previewBackfill(any, PAST),
      () => manager.backfill(any, PAST),
      () => manager.cancelBackfill(any, 'x'),
      () => manager.listBackfills(any),
    ];
  }

  /** Every method that changes something, called with the given options. */
  function withOptions(given: unknown): (() => Promise<unknown>)[] {
    const { manager } = store;
    const options = given as MutationOptions;
    return [
      () => manager.create({ ...HOURLY, name: 'new' }, options),
      () => manager.update(name, HOURLY, options),
      () => manager.patch(name, { recover: true }, options),
      () => manager.delete(name, options),
      () => manager.pause(name, options),
      () => manager.resume(name, options),
      () => manager.triggerNow(name, options),
      () => manager.cancelRunsOf(name, options),
      () => manager.backfill(name, PAST, options),
      () => manager.hold({ jobName: 'job' }, options),
      () => manager.release({ jobName: 'job' }, options),
    ];
  }

  it('refuses garbage as the name', async () => {
    for (const garbage of [undefined, ...GARBAGE]) {
      await refuses(withName(garbage));
    }
  });

  it('says 2706 for a name that is no string, and 2700 for one that no schedule can have', async () => {
    await refuses(withName(42), ScheduleInvalidError);
    // An update gives the name also to what it defines, where it cannot stand.
    await refuses(withName('\0').slice(1), ScheduleNotFoundError);
    await refuses(withName('\uD800').slice(1), ScheduleNotFoundError);
  });

  it('does not take a lone surrogate for the character it would become in the database', async () => {
    await store.manager.create({ ...HOURLY, name: 'replacement \uFFFD' });

    await refuses(withName('replacement \uD800'));
    await refuses([() => store.manager.listRuns({ scheduleName: 'replacement \uD800' })]);
  });

  it('refuses garbage as the specification', async () => {
    const { manager } = store;
    for (const garbage of [undefined, ...GARBAGE]) {
      const spec = garbage as ScheduleSpec;
      await refuses([() => manager.create(spec), () => manager.update(name, spec)]);
    }
  });

  it('refuses garbage as the changes of a patch', async () => {
    for (const garbage of [undefined, ...GARBAGE]) {
      await refuses([() => store.manager.patch(name, garbage as object)], ScheduleInvalidError);
    }
  });

  it.each(['name', 'jobName', 'misfirePolicy', 'concurrencyPolicy', 'recover', 'enabled'])(
    'refuses garbage as the field %s',
    async (field) => {
      const { manager } = store;
      // Words and flags that are right, and names that are allowed.
      const isRight = (value: unknown) =>
        value === 'text' || (value === true && (field === 'recover' || field === 'enabled'));
      for (const garbage of GARBAGE.filter((value) => !isRight(value))) {
        const fields = { [field]: garbage };
        await refuses([
          () => manager.create({ name: 'new', ...HOURLY, ...fields }),
          () => manager.patch(name, fields),
        ]);
        // On update, a name that is null is omitted, as in the JSON of an editor that has none.
        if (field !== 'name' || garbage !== null) {
          await refuses([() => manager.update(name, { ...HOURLY, ...fields })]);
        }
      }
    },
  );

  it('refuses garbage as the trigger, as 2703', async () => {
    const { manager } = store;
    for (const garbage of GARBAGE) {
      const trigger = garbage as ScheduleSpec['trigger'];
      await refuses(
        [
          () => manager.create({ name: 'new', jobName: 'job', trigger }),
          () => manager.update(name, { jobName: 'job', trigger }),
          () => manager.patch(name, { trigger }),
        ],
        TriggerInvalidError,
      );
    }
  });

  it('refuses garbage as an instant or a duration', async () => {
    const { manager } = store;
    const fake: unknown[] = [new Proxy(new Date(), {}), Object.create(Date.prototype), 1.5, 8.65e15];
    for (const field of ['startsAt', 'endsAt', 'timeout']) {
      for (const garbage of [...GARBAGE, ...fake].filter((value) => value !== 0)) {
        const fields = { [field]: garbage };
        await refuses([
          () => manager.create({ name: 'new', ...HOURLY, ...fields }),
          () => manager.update(name, { ...HOURLY, ...fields }),
        ]);
      }
    }
  });

  it('refuses garbage as options, as 2706: a mistyped expectedVersion must not lose an update', async () => {
    for (const garbage of GARBAGE) {
      await refuses(withOptions(garbage), ScheduleInvalidError);
    }
    await refuses(withOptions({ expectedVerison: 1 }), ScheduleInvalidError);
  });

  it('refuses garbage as actor and as expectedVersion', async () => {
    for (const garbage of GARBAGE.filter((value) => value !== 'text')) {
      await refuses(withOptions({ actor: garbage }), ScheduleInvalidError);
    }
    await refuses(withOptions({ actor: 'a'.repeat(201) }), ScheduleInvalidError);
    await refuses(withOptions({ actor: 'line\nfeed' }), ScheduleInvalidError);
    for (const garbage of [...GARBAGE.filter((value) => value !== 0), 1.5, '1', 2 ** 53]) {
      await refuses(withOptions({ expectedVersion: garbage }), ScheduleInvalidError);
    }
  });

  it('refuses an expectedVersion where no schedule has it, and changes nothing', async () => {
    const { manager } = store;
    const given = { expectedVersion: 1 } as object;
    const calls = {
      create: () => manager.create({ ...HOURLY, name: 'new' }, given),
      hold: () => manager.hold({ jobName: 'job' }, given),
      release: () => manager.release({ jobName: 'job' }, given),
      cancelRun: () => manager.cancelRun('any', given),
      takeOver: () => manager.takeOver(given),
    };
    for (const [method, call] of Object.entries(calls)) {
      await refuses([call], ScheduleInvalidError);
      await expect(call()).rejects.toThrow(
        `expectedVersion belongs to one schedule that exists; leave it out on ${method}.`,
      );
    }
    expect(await manager.listHolds()).toEqual([]);
  });

  it('refuses what is not the EntityManager of an active transaction, as a TypeError that says so', async () => {
    const { dataSource } = store.node;
    const over = await dataSource.transaction((manager) => Promise.resolve(manager));
    const before = await store.contents();
    for (const wrong of [null, 5, 'text', {}, [], dataSource, dataSource.manager, over]) {
      for (const call of withOptions({ transaction: wrong })) {
        const error = await rejectionOf(call());
        expect(error).toBeInstanceOf(TypeError);
        expect((error as Error).message).toMatch(
          /`transaction` must be the EntityManager of an active transaction/,
        );
      }
    }
    expect(await store.contents()).toEqual(before);
  });

  it('refuses garbage as the id of a run: there is none', async () => {
    for (const garbage of [undefined, ...GARBAGE]) {
      const id = garbage as string;
      await refuses([() => store.manager.rerun(id), () => store.manager.cancelRun(id)]);
      await refuses([() => store.manager.cancelBackfill(name, id)]);
    }
  });

  it('refuses garbage as the range of a backfill and as what to hold', async () => {
    const { manager } = store;
    for (const garbage of [undefined, ...GARBAGE]) {
      const given = garbage as typeof PAST;
      await refuses(
        [
          () => manager.previewBackfill(name, given),
          () => manager.backfill(name, given),
          () => manager.backfill(name, { ...PAST, from: garbage as number }),
          () => manager.backfill(name, { ...PAST, to: garbage as number }),
          () => manager.hold(given as object),
          () => manager.release(given as object),
        ],
        ScheduleInvalidError,
      );
    }
  });

  it('refuses garbage as the options of single methods', async () => {
    const { manager } = store;
    for (const garbage of GARBAGE) {
      const any = garbage as never;
      const isFlag = typeof garbage === 'boolean';
      const isWord = isText(garbage) && garbage !== '' && (garbage as string).length <= 500;
      await refuses(
        [
          ...(isWord ? [] : [() => manager.triggerNow(name, { idempotencyKey: any })]),
          ...(isWord ? [] : [() => manager.pause(name, { note: any })]),
          ...(isWord ? [] : [() => manager.hold({}, { note: any })]),
          ...(isFlag ? [] : [() => manager.triggerNow(name, { evenIfPaused: any })]),
          () => manager.pause(name, { until: any }),
          () => manager.hold({}, { until: any }),
        ],
        ScheduleInvalidError,
      );
    }
  });

  it('refuses garbage as a filter, as 2706', async () => {
    const { manager } = store;
    for (const garbage of GARBAGE) {
      const filter = garbage as object;
      await refuses([() => manager.list(filter), () => manager.listRuns(filter)], ScheduleInvalidError);
    }
    const of = (field: string, values: readonly unknown[]) =>
      values.flatMap((value) => [
        () => manager.list({ [field]: value }),
        () => manager.listRuns({ [field]: value }),
      ]);
    await refuses(
      of(
        'jobName',
        GARBAGE.filter((value) => !isText(value)),
      ),
      ScheduleInvalidError,
    );
    await refuses(
      of(
        'scheduleName',
        GARBAGE.filter((value) => !isText(value)),
      ).filter((_, i) => i % 2 === 1),
    );
    await refuses(
      of(
        'enabled',
        GARBAGE.filter((value) => value !== true),
      ),
      ScheduleInvalidError,
    );
    const onlyRuns = (field: string, values: readonly unknown[]) =>
      values.map((value) => () => manager.listRuns({ [field]: value }));
    await refuses(
      onlyRuns(
        'statuses',
        GARBAGE.filter((value) => value !== EMPTY),
      ),
      ScheduleInvalidError,
    );
    await refuses(onlyRuns('statuses', [['succeeded', 'done'], [null], new Proxy([], { get: throws })]));
    for (const field of ['since', 'until', 'limit']) {
      await refuses(
        onlyRuns(
          field,
          GARBAGE.filter((value) => value !== 0),
        ),
        ScheduleInvalidError,
      );
    }
    await refuses(onlyRuns('limit', [-1, 0.5, '10', 2 ** 53]), ScheduleInvalidError);
  });

  it('never throws anything but a typed error, whatever is given', async () => {
    const { manager } = store;
    const junk = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withUnicodeString: true,
    });
    const valid = fc.record({
      name: fc.string({ unit: 'binary', minLength: 1 }),
      jobName: fc.constant('job'),
      trigger: fc.constant(HOURLY.trigger),
      params: fc.oneof(fc.jsonValue(), junk),
      startsAt: fc.oneof(fc.constant(undefined), fc.maxSafeInteger(), fc.date()),
      endsAt: fc.oneof(fc.constant(undefined), fc.maxSafeInteger(), fc.double()),
      timeout: fc.oneof(fc.nat(), fc.double(), fc.maxSafeInteger()),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(valid, junk),
        junk,
        fc.string({ unit: 'binary' }),
        async (spec, options, text) => {
          const given = spec as ScheduleSpec;
          await typed(() => manager.create(given, { actor: text }));
          await typed(() => manager.create(given, options as MutationOptions));
          await typed(() => manager.update('nobody', given));
          await typed(() => manager.patch(name, { params: given }));
          await typed(() => manager.get(text));
          await typed(() => manager.triggerNow(text, options as MutationOptions));
          await typed(() => manager.list({ jobName: text }));
          await typed(() => manager.listRuns({ scheduleName: text, ...(options as object) }));
        },
      ),
      { numRuns: 60 },
    );
  });
});
