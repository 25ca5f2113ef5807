import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Connections } from '../../../lib/storage/connections/connections.js';
import { HandlerTransactions } from '../../../lib/storage/connections/handler-transaction.js';
import type { OutcomeStore } from '../../../lib/storage/runs/outcome.store.js';

describe('the transactions of handlers', () => {
  it("open connections of the application's pool that may die before anybody else listens, and not end the process", async () => {
    const master = new EventEmitter();
    const release = jest.fn(async () => undefined);
    const dataSource = {
      driver: { master },
      createQueryRunner: () => ({ connect: () => Promise.reject(new Error('terminated')), release }),
    } as unknown as DataSource;
    const transactions = new HandlerTransactions(
      dataSource,
      undefined as unknown as Connections,
      undefined as unknown as OutcomeStore,
    );
    await expect(transactions.begin()).rejects.toThrow('terminated');
    await expect(transactions.begin()).rejects.toThrow('terminated');
    expect(master.listenerCount('connect')).toBe(1);

    const client = new EventEmitter();
    master.emit('connect', client);
    expect(() => client.emit('error', new Error('terminating connection'))).not.toThrow();
    expect(release).toHaveBeenCalledTimes(2);
  });
});
