import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { violationsOf } from './support/accessibility.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

const SCREENS = [
  'overview',
  'schedules',
  'schedules/nightly',
  'schedules/paused',
  'schedules/nightly/edit',
  'new',
  'runs',
  'runs/failed',
  'nodes',
  'audit',
  'nowhere',
];

/** A part of each screen that is there when its data is. */
const LOADED: Readonly<Record<string, string>> = {
  overview: '[aria-label=Holds] li',
  schedules: 'tbody tr',
  'schedules/nightly': '.facts',
  'schedules/paused': '.message-warn',
  'schedules/nightly/edit': '.preview li',
  new: '.preview li',
  runs: 'tbody tr',
  'runs/failed': '.block-error',
  nodes: 'tbody tr',
  audit: '.audit li',
};

describeInBrowser('everybody can use the console', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;
  let failedRunId = '';

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
    const trigger = { kind: 'cron', expr: '30 2 1 * MON', timezone: 'Europe/Berlin' } as const;
    await app.manager.create({ name: 'nightly', jobName: 'report', trigger, params: { region: 'eu' } });
    await app.manager.create({ name: 'paused', jobName: 'failing', trigger });
    await app.manager.create({ name: 'endless', jobName: 'endless', trigger });
    await app.manager.create({
      name: 'soon',
      jobName: 'report',
      trigger: { kind: 'interval', everyMs: 600_000 },
    });
    await app.manager.create({ name: `long-${'name-'.repeat(20)}`, jobName: 'report', trigger });
    for (const name of ['nightly', 'paused', 'endless']) {
      await app.manager.triggerNow(name);
    }
    await untilTrue('one has failed', async () => {
      const [failed] = await app.manager.listRuns({ statuses: ['failed'] });
      failedRunId = failed?.id ?? '';
      return failedRunId !== '';
    });
    await app.manager.pause('paused', { note: 'Until the warehouse has moved.' });
    await app.manager.patch('nightly', { recover: true });
    await app.manager.hold({ jobName: 'endless' }, { note: 'Until the queue is drained.' });
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  function viewOf(screen: string): string {
    return `#/${screen.replace('failed', failedRunId)}`;
  }

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each(SCREENS)('sees %s as WCAG 2.2 AA wants it', async (screen) => {
      const { page, complaints, close } = await openConsole(browser, app, {
        view: viewOf(screen),
        colorScheme,
      });
      await page
        .locator(LOADED[screen] ?? '.empty')
        .first()
        .waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      await page
        .locator('details')
        .evaluateAll('(all) => all.forEach((details) => { details.open = true; })');
      expect(await violationsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    });

    it.each([
      ['Run now: nightly', 'schedules/nightly'],
      ['Pause nightly', 'schedules/nightly'],
      ['Delete nightly', 'schedules/nightly'],
      ['Hold everything', 'overview'],
      ['Release the job endless', 'overview'],
    ])('sees the dialog "%s" as WCAG 2.2 AA wants it', async (name, screen) => {
      const { page, close } = await openConsole(browser, app, { view: `#/${screen}`, colorScheme });
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await close();
    });

    it('signs in as WCAG 2.2 AA wants it', async () => {
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      await page.goto(`${app.origin}/cron`);
      await page.getByRole('dialog').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await context.close();
    });
  });

  it.each(SCREENS)('sees all of %s on a telephone, 400 pixels wide', async (screen) => {
    const { page, close } = await openConsole(browser, app, {
      view: viewOf(screen),
      viewport: { width: 400, height: 800 },
    });
    await page
      .locator(LOADED[screen] ?? '.empty')
      .first()
      .waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    await page.locator('details').evaluateAll('(all) => all.forEach((details) => { details.open = true; })');
    const [width, visible] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(width).toBeLessThanOrEqual(visible);
    await close();
  });

  it('pauses a schedule by the keyboard alone, and is where it was afterwards', async () => {
    const { page, close } = await openConsole(browser, app, { view: '#/schedules' });
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""',
      );
    const goTo = async (label: string) =>
      untilTrue(`${label} is reached`, async () => {
        await page.keyboard.press('Tab');
        return (await focused()).startsWith(label);
      });
    await goTo('Skip to the content');
    await page.keyboard.press('Enter');
    await goTo('Pause nightly');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Pause nightly' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await untilTrue('the focus is back', async () => (await focused()) === 'Pause nightly');
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('By keyboard.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume nightly' }).waitFor();
    expect((await app.manager.get('nightly')).schedule.pauseNote).toBe('By keyboard.');
    await app.manager.resume('nightly');
    await close();
  });

  it('reads dates in the words of their locale', async () => {
    for (const [locale, month] of [
      ['en-GB', /\d{1,2} [A-Z][a-z]{2}/],
      ['de-DE', /\d{1,2}\. [A-Z][a-zä]{2}/],
      ['ja-JP', /\d{1,2}月\d{1,2}日/],
    ] as const) {
      const { page, close } = await openConsole(browser, app, { view: '#/schedules', locale });
      await page.locator('tbody time').getByText(month).first().waitFor();
      await close();
    }
  });
});
