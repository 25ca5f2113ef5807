import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

describeInBrowser('the list of schedules', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
    await app.manager.create({
      name: 'nightly report',
      jobName: 'report',
      trigger: { kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' },
      params: { region: 'eu' },
    });
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  it('shows each with its trigger in words, and runs one now', async () => {
    const { page, complaints, close } = await openConsole(browser, app, { view: '#/schedules' });
    const row = page.getByRole('row', { name: /nightly report/ });
    await row.getByText('At 02:00, Asia/Shanghai').waitFor();
    await row.getByRole('button', { name: 'Run nightly report now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Params').fill('{ "region": "us" }');
    await dialog.getByLabel('Idempotency key').fill('ticket-1');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('nightly report runs as soon as a node is free.').waitFor();
    await untilTrue('the run came', () =>
      app.executions.some(({ params }) => JSON.stringify(params) === '{"region":"us"}'),
    );
    await row.getByText('succeeded').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
