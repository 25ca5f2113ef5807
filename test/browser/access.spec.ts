import type { Browser } from 'playwright-core';
import { PermissionChecker, type PermissionQuery } from '../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, expiredTokens, startConsoleApp, TokenGuard } from './support/console-app.js';
import { openConsole } from './support/console-page.js';

const YEARLY = { kind: 'cron', expr: '0 0 1 1 *' } as const;

/** Permits everything with one schedule, and nothing that is about all of them. */
class NightlyOnly extends PermissionChecker {
  isPermitted({ target }: PermissionQuery): boolean {
    return target?.scheduleNames.every((name) => name === 'nightly') ?? false;
  }
}

describeInBrowser('who uses the console', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let own: ConsoleApp | undefined;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url, console: { signInUrl: '/login' } });
    browser = await launchBrowser();
    await app.manager.create({
      name: 'nightly',
      jobName: 'report',
      trigger: { kind: 'cron', expr: '0 2 * * *' },
    });
  });

  afterEach(async () => {
    expiredTokens.clear();
    await own?.close();
    own = undefined;
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  it('may look, and is offered nothing else, where that is all that is permitted', async () => {
    const { page, complaints, close } = await openConsole(browser, app, {
      token: 'viewer-token',
      view: '#/schedules/nightly',
    });
    await page.getByRole('heading', { name: 'nightly' }).waitFor();
    await page.getByText('Vera Viewer').waitFor();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    for (const name of ['Run now: nightly', 'Pause nightly', 'Delete nightly']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Changes' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    expect(await page.getByRole('link', { name: 'New schedule' }).count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Actions' }).count()).toBe(0);
    // Whoever goes there by hand is told by the server.
    await page.goto(`${app.origin}/cron#/new`);
    // The list of schedules has a label with that word as well.
    await page.getByRole('heading', { name: 'New schedule' }).waitFor();
    await page.getByLabel('Name').fill('mine');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText(/needs the permission cron\.schedule\.manage/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('sees whose schedules these are, before anything is changed in the wrong ones', async () => {
    const staging = await createTestDatabase();
    own = await startConsoleApp({ url: staging.url, environment: 'staging' });
    const seen = await openConsole(browser, own, { token: 'viewer-token', view: '#/nodes' });
    await seen.page.getByRole('banner').getByText('staging', { exact: true }).waitFor();
    await untilTrue(
      'the tab says it',
      async () => (await seen.page.title()) === 'Nodes · Schedules · staging',
    );
    await seen.close();
    await own.close();
    own = undefined;
    await staging.drop();

    const unnamed = await openConsole(browser, app, { token: 'viewer-token', view: '#/nodes' });
    await untilTrue('the tab says it', async () => (await unnamed.page.title()) === 'Nodes · Schedules');
    expect(await unnamed.page.getByRole('banner').getByText('default').count()).toBe(0);
    await unnamed.close();
  });

  it('starts at the audit trail, where that is all that is permitted', async () => {
    const { page, complaints, close } = await openConsole(browser, app, { token: 'auditor-token' });
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.getByText('nightly').first().waitFor();
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    expect(await links.allTextContents()).toEqual(['Audit']);
    expect(await links.getAttribute('aria-current')).toBe('page');
    await page.goto(`${app.origin}/cron#/schedules`);
    await page.getByText('You are signed in, and may see nothing here.').waitFor();
    await page.getByText('cron.schedule.query').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('sees and changes the one schedule that is permitted, and is told so of the others', async () => {
    await app.manager.create({ name: 'of others', jobName: 'report', trigger: YEARLY });
    own = await startConsoleApp({
      url: database.url,
      management: { guards: [TokenGuard], permissionChecker: NightlyOnly },
    });
    const { page, complaints, close } = await openConsole(browser, own, { view: '#/schedules/nightly' });
    await page.getByRole('heading', { name: 'nightly' }).waitFor();
    await page.getByRole('button', { name: 'Pause nightly' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Expression').fill('0 4 * * *');
    expect(await page.getByRole('heading', { name: 'Preview' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('nightly is changed.').waitFor();
    expect((await app.manager.get('nightly')).schedule.expr).toBe('0 4 * * *');
    await page.goto(`${own.origin}/cron#/schedules/of%20others`);
    await page
      .getByText(/needs the permission cron\.schedule\.query/)
      .first()
      .waitFor();
    await page.goto(`${own.origin}/cron#/`);
    await page.getByText('You are signed in, and may see nothing here.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is told what to ask for, where nothing is permitted', async () => {
    const { page, close } = await openConsole(browser, app, { token: 'stranger-token' });
    await page.getByText('You are signed in, and may see nothing here.').waitFor();
    await page.getByText('cron.schedule.query').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0);
    await close();
  });

  it('signs in with a token, which stays in the tab, and signs out', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${app.origin}/cron#/schedules`);
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Sign in to the application' }).getAttribute('href')).toBe(
      '/login',
    );
    await page.getByLabel('access token').fill('nonsense');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.getByLabel('access token').fill('operator-token');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  it('is signed in by a cookie of the application', async () => {
    const context = await browser.newContext();
    await context.addCookies([{ name: 'session', value: 'operator-token', url: app.origin, httpOnly: true }]);
    const page = await context.newPage();
    await page.goto(`${app.origin}/cron#/schedules`);
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await context.close();
  });

  it('signs in again when the session expires, and loses nothing that was typed', async () => {
    const { page, close } = await openConsole(browser, app, { view: '#/new' });
    await page.getByLabel('Name').fill('after the break');
    await page.getByLabel('Job').selectOption('report');
    expiredTokens.add('operator-token');
    // By an event, which reaches the button also where a poll has noticed before, and the dialog is over it already.
    await page.getByRole('button', { name: 'Create schedule' }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    // The browser lets a page object to the first Escape, and not to the next.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('access token').waitFor();
    expiredTokens.clear();
    await dialog.getByLabel('access token').fill('operator-token');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('after the break');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'after the break' }).waitFor();
    await close();
  });

  it('is told that the server cannot be reached, and goes on by itself when it can', async () => {
    const { page, close } = await openConsole(browser, app, { view: '#/schedules' });
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    await page.route('**/sys/cron/**', (route) => route.abort());
    await page.getByText('The server cannot be reached.').waitFor();
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    await page.unroute('**/sys/cron/**');
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
    await close();
  });
});
