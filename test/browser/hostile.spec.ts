import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

/** Each would call `attacked` if it became a part of the page. */
const ATTACKS = [
  '<script>attacked()</script>',
  '<img src=x onerror="attacked()">',
  '"><svg onload=attacked()>',
  "javascript:attacked()//'",
  '</textarea><iframe srcdoc="<script>parent.attacked()</script>">',
  '{{constructor.constructor("attacked()")()}}',
  '%3Cscript%3Eattacked()%3C/script%3E/../?#&',
  '\u202Eelgatta\u202C ‮name',
];

describeInBrowser('texts that want to be code', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
    for (const attack of ATTACKS) {
      await app.manager.create({
        name: attack,
        jobName: 'failing',
        trigger: { kind: 'cron', expr: '0 0 1 1 *' },
        params: attack,
      });
      await app.manager.triggerNow(attack, { actor: { id: attack, name: attack } });
    }
    await untilTrue(
      'all have failed',
      async () => (await app.manager.listRuns({ statuses: ['failed'] })).length === ATTACKS.length,
    );
    for (const attack of ATTACKS) {
      await app.manager.pause(attack, { note: attack, actor: { id: attack, name: attack } });
    }
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  it('stay texts, in names, errors, params, notes and actors, on every screen', async () => {
    const [run] = await app.manager.listRuns({ scheduleName: ATTACKS[0] ?? '' });
    const names = ATTACKS.map((attack) => `#/schedules/${encodeURIComponent(attack)}`);
    const { page, complaints, close } = await openConsole(browser, app, { view: '#/schedules' });
    let attacks = 0;
    await page.exposeFunction('attacked', () => (attacks += 1));
    const edit = `${names[4]}/edit`;
    const views = ['#/overview', '#/schedules', '#/runs', `#/runs/${run?.id}`, '#/audit', ...names, edit];
    for (const view of views) {
      await page.goto(`${app.origin}/cron${view}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page
        .locator('details')
        .evaluateAll('(all) => all.forEach((details) => { details.open = true; })');
      await page.locator('.loading').first().waitFor({ state: 'detached' });
    }
    await page.goto(`${app.origin}/cron#/schedules`);
    for (const attack of ATTACKS) {
      await page.getByRole('link', { name: attack, exact: true }).waitFor();
    }
    expect(await page.locator('main script, main iframe, main img').count()).toBe(0);
    expect(attacks).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('lead from the list to their own page, whatever their names are', async () => {
    const { page, close } = await openConsole(browser, app, { view: '#/schedules' });
    for (const attack of ATTACKS) {
      await page.getByRole('link', { name: attack, exact: true }).click();
      await page.getByRole('heading', { level: 1 }).filter({ hasText: attack }).waitFor();
      await page.goBack();
    }
    await close();
  });

  it('could not run even if one got into the page, by the policy of the page', async () => {
    const { page, close } = await openConsole(browser, app, { view: '#/schedules' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const outcome = await page.evaluate<string>(`new Promise((resolve) => {
      window.attacked = () => resolve('attacked');
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective));
      const script = document.createElement('script');
      try { script.textContent = 'attacked()'; } catch { resolve('refused'); }
      document.body.append(script);
    })`);
    expect(outcome).not.toBe('attacked');
    await close();
  });
});
