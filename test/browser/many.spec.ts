import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

const COUNT = 10_000;

describeInBrowser('ten thousand schedules', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
    await app.manager.create({
      name: 'schedule 00000',
      jobName: 'report',
      trigger: { kind: 'cron', expr: '0 0 1 1 *' },
    });
    const columns = await database.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = 'crn_schedule' and column_name not in ('id', 'name')`,
    );
    const others = columns.map(({ name }) => name).join(', ');
    await database.query(
      `insert into crn_schedule (id, name, ${others})
       select gen_random_uuid(), 'schedule ' || lpad(number::text, 5, '0'), ${others}
       from crn_schedule, generate_series(1, ${COUNT - 1}) number`,
    );
    await database.query('analyze crn_schedule');
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  it('are paged through, found by a part of their name, and looked ahead over', async () => {
    const { page, complaints, close } = await openConsole(browser, app, { view: '#/schedules' });
    await page.getByText('1–25 of 10,000').waitFor();
    expect(await page.getByRole('row').count()).toBe(26);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('26–50 of 10,000').waitFor();
    await page.getByRole('row', { name: /schedule 00025/ }).waitFor();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('row', { name: /schedule 09999/ }).waitFor();
    await page.getByLabel('Name contains').fill('7654');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'schedule 07654' }).click();
    await page.getByRole('heading', { name: 'schedule 07654' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Next fires' }).waitFor();
    await page.getByText(/Nothing fires within|Only the 12 schedules/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
