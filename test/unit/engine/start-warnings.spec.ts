import { jest } from '@jest/globals';
import { DatabaseWait } from '../../../lib/engine/start-up/database-wait.js';
import { giveStartWarnings } from '../../../lib/engine/start-up/start-warnings.js';
import { StoreLogger } from '../../../lib/store-logger.js';

const AWAY = Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' });

describe('what a node warns of as it starts', () => {
  let lines: string[];

  beforeEach(() => {
    lines = [];
    jest.spyOn(StoreLogger.prototype, 'warn').mockImplementation((line) => void lines.push(line));
    jest.spyOn(StoreLogger.prototype, 'log').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is logged where it cannot be found out, and keeps nobody from the others', async () => {
    const others = jest.fn(async () => undefined);
    await give(new DatabaseWait(60_000), others, () => Promise.reject(new Error('no such table')), others);
    expect(others).toHaveBeenCalledTimes(2);
    expect(lines).toEqual(['Warning 1 could not be found out: no such table']);
  });

  it('is tried again where the database is away', async () => {
    const attempt = jest.fn(async () => undefined).mockRejectedValueOnce(AWAY);
    await give(new DatabaseWait(60_000), attempt);
    expect(attempt).toHaveBeenCalledTimes(2);
    expect(lines).toEqual([expect.stringContaining('the start-up waits')]);
  });

  it('is left out where the database is away for too long', async () => {
    await give(new DatabaseWait(0), () => Promise.reject(AWAY));
    expect(lines).toEqual(['Warning 0 could not be found out: nobody listens']);
  });
});

async function give(databaseWait: DatabaseWait, ...attempts: readonly (() => Promise<void>)[]) {
  const warnings = attempts.map((giveIfNeeded, index) => ({ subject: `Warning ${index}`, giveIfNeeded }));
  await giveStartWarnings(warnings, databaseWait, new StoreLogger());
}
