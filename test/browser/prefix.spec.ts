import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp, TokenGuard } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

describeInBrowser('a console whose API is at the global prefix itself', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase();
    browser = await launchBrowser();
  });

  afterEach(async () => app?.close());

  afterAll(async () => {
    await browser?.close();
    await database?.drop();
  });

  it.each(['express', 'fastify'] as const)('works on %s', async (adapter) => {
    app = await startConsoleApp({
      url: database.url,
      adapter,
      globalPrefix: 'api',
      management: { path: '', guards: [TokenGuard] },
    });
    const { page, complaints, close } = await openConsole(browser, app, {
      path: '/api/cron',
      view: '#/schedules',
    });
    await page.getByText('There are no schedules yet.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
