import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { MINUTE, NOON, startStillStore, type StillStore } from './support/still-store.js';

const ACTOR = { id: 'u-1', name: 'Ada' };
const REQUEST = { requestId: 'req-1', ip: '::1' };

describe('what the audit trail has of a change', () => {
  let store: StillStore;

  beforeAll(async () => {
    store = await startStillStore();
    await store.manager.create({
      name: 'audited',
      jobName: 'job',
      trigger: { kind: 'interval', everyMs: 60_000 },
    });
  });

  afterAll(async () => {
    await store?.close();
  });

  async function latest(action: string): Promise<unknown> {
    const [row] = await store.database.query<{ params: unknown }>(
      'select params from crn_audit where action = $1 order by id desc limit 1',
      [action],
    );
    return row?.params;
  }

  it('is what was asked for, and neither who asked nor within what', async () => {
    const { manager } = store;
    const source = store.node.app.get<DataSource>(getDataSourceToken());
    await source.transaction(async (transaction) => {
      const fire = { idempotencyKey: 'key-1', params: { region: 'eu', password: 'hunter2' } };
      await manager.triggerNow('audited', { ...fire, transaction, actor: ACTOR, request: REQUEST });
    });
    expect(await latest('trigger_now')).toEqual({
      idempotencyKey: 'key-1',
      params: { region: 'eu', password: '[redacted]' },
    });

    const until = NOON + MINUTE;
    await manager.pause('audited', { note: 'Stocktaking.', until, actor: ACTOR, request: REQUEST });
    expect(await latest('pause')).toEqual({ note: 'Stocktaking.', until });

    await manager.hold({ jobName: 'other' }, { note: 'Moving.', actor: ACTOR });
    expect(await latest('hold')).toEqual({ target: { jobName: 'other' }, note: 'Moving.' });
  });

  it('is kept of what was refused, too', async () => {
    await expect(store.manager.rerun('nope', { evenIfPaused: true, actor: ACTOR })).rejects.toThrow();
    expect(await latest('rerun')).toEqual({ evenIfPaused: true });
    await expect(store.manager.hold({}, { until: NOON })).rejects.toThrow();
    expect(await latest('hold')).toEqual({ target: {}, until: NOON });
  });
});
