import { once } from 'node:events';
import { Test, type TestingModule } from '@nestjs/testing';
import * as testing from 'nestjs-cron-store/testing';
import { InvoicesModule, SendInvoices } from './invoices.module.js';

const clock = new testing.ManualStoreClock(new Date('2030-01-01T00:00:00Z'));
let database: testing.TestDatabase;
let app: TestingModule;
let store: testing.CronStoreTester;

beforeAll(async () => {
  database = await testing.createTestDatabase();
  process.env['DATABASE_URL'] = database.url;
  const builder = Test.createTestingModule({ imports: [InvoicesModule] });
  app = await builder.overrideProvider(testing.StoreClock).useValue(clock).compile();
  await app.init();
  store = await testing.CronStoreTester.on(app);
});

afterAll(async () => {
  await app.close();
  await database.drop();
});

/** Lets the handler wait for its mail, until the returned function is called. */
function holdMail(): () => void {
  const arrival = new AbortController();
  app.get(SendInvoices).mail = once(arrival.signal, 'abort');
  return () => arrival.abort();
}

it('sends invoices', async () => {
  const run = await store.fireAndWait('send-invoices');
  expect(run.status).toBe('succeeded');
  expect(app.get(SendInvoices).sent).toEqual([run.idempotencyKey]);
});

it('catches up once after an outage', async () => {
  await clock.advance('3d');
  expect(await store.drain()).toMatchObject([{ status: 'missed', missedCount: 71 }, { status: 'succeeded' }]);
});

it('does not overlap with itself', async () => {
  const mailArrives = holdMail();
  await store.start('send-invoices');
  expect(await store.fireAndWait('send-invoices')).toMatchObject({ status: 'skipped', reason: 'overlap' });
  mailArrives();
  expect(await store.drain()).toMatchObject([{ status: 'succeeded' }]);
});

it('is repeated after a crash, under the same key', async () => {
  const mailArrives = holdMail();
  const { idempotencyKey } = await store.start('send-invoices');
  expect(await store.crash('send-invoices')).toMatchObject([{ status: 'abandoned', idempotencyKey }]);
  mailArrives();
  expect(await store.drain()).toMatchObject([{ status: 'succeeded', origin: 'recovery', idempotencyKey }]);
});
