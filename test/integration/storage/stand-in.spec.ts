import { StillStorage } from './support/still-storage.js';

const NODE = { id: 'node', host: 'host', pid: 1, jobNames: ['work'], slots: 1, version: '0' };

describe('the heartbeat that stands in for those of a blocked main thread', () => {
  let still: StillStorage;
  let scheduleId: string;

  beforeAll(async () => {
    still = await StillStorage.start();
    scheduleId = await still.createSchedule('schedule');
  });

  afterAll(async () => {
    await still.close();
  });

  afterEach(async () => {
    await still.database.empty('crn_run', 'crn_node');
  });

  async function standIn(): Promise<void> {
    const { text, values } = still.storage.heartbeats.standInStatement('node');
    await still.database.query(text, values);
  }

  /** When the nodes were heard of, by id. */
  async function nodes(): Promise<Readonly<Record<string, number>>> {
    const rows = await still.database.query<{ id: string; beat: number }>(
      'select id, heartbeat_at_unix_ms::float as beat from crn_node',
    );
    return Object.fromEntries(rows.map(({ id, beat }) => [id, beat]));
  }

  it('refreshes the node, and every run that the journal has as running and its own', async () => {
    await still.storage.heartbeats.beat(NODE, 1, []);
    await still.storage.heartbeats.beat({ ...NODE, id: 'other' }, 1, []);
    await still.database.query('update crn_node set heartbeat_at_unix_ms = 1000');
    const own = [await still.journal({ scheduleId }), await still.journal({ scheduleId })];
    const others = await still.journal({ scheduleId, nodeId: 'other' });
    const now = await still.storage.connections.now('engine');
    await standIn();

    for (const id of own) {
      const run = await still.run(id);
      expect(run?.status).toBe('running');
      expect(run?.beat).toBeGreaterThanOrEqual(now);
    }
    expect(await still.run(others)).toEqual({ status: 'running', beat: 1_000 });
    expect((await nodes())['node']).toBeGreaterThanOrEqual(now);
    expect((await nodes())['other']).toBe(1_000);
  });

  it.each(['abandoned', 'canceled', 'succeeded', 'failed'])(
    'leaves a run alone that is %s',
    async (status) => {
      const id = await still.journal({ scheduleId });
      await still.database.query('update crn_run set status = $2 where id = $1', [id, status]);
      await standIn();
      expect(await still.run(id)).toEqual({ status, beat: 1_000 });
    },
  );

  it('neither waits for a takeover that is in flight, nor undoes it', async () => {
    const [taken, own] = [await still.journal({ scheduleId }), await still.journal({ scheduleId })];
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`update crn_run set status = 'abandoned' where id = $1`, [taken]);
    await standIn();
    await runner.commitTransaction();
    await runner.release();

    expect(await still.run(taken)).toEqual({ status: 'abandoned', beat: 1_000 });
    expect((await still.run(own))?.beat).toBeGreaterThan(1_000);
  });

  it('does not bring back a node that has left', async () => {
    await still.storage.heartbeats.beat(NODE, 1, []);
    await still.storage.heartbeats.leave('node');
    await standIn();
    expect(await nodes()).toEqual({});
  });
});
