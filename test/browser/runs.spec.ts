import type { Browser, Page } from 'playwright-core';
import type { Run } from '../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { type ConsolePage, openConsole } from './support/console-page.js';

const YEARLY = { kind: 'cron', expr: '0 0 1 1 *' } as const;

describeInBrowser('runs, nodes, audit and overview in the console', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;
  let opened: ConsolePage;
  let page: Page;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
    for (const jobName of ['report', 'failing', 'endless']) {
      await app.manager.create({ name: `a ${jobName}`, jobName, trigger: YEARLY });
    }
  });

  afterEach(async () => {
    expect(opened.complaints).toEqual([]);
    await opened.close();
    for (const { jobName } of await app.manager.listHolds()) {
      await app.manager.release({ jobName });
    }
    await app.manager.cancelRunsOf('a endless');
    await untilTrue(
      'nothing runs',
      async () => (await app.manager.listRuns({ statuses: ['running'] })).length === 0,
    );
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await database?.drop();
  });

  async function open(view: string): Promise<void> {
    opened = await openConsole(browser, app, { view });
    ({ page } = opened);
  }

  /** Fires the schedule of a job, and answers with the first attempt, which is over unless the job is endless. */
  async function fire(jobName: string): Promise<string> {
    const before = new Set((await runsOf(jobName)).map(({ id }) => id));
    await app.manager.triggerNow(`a ${jobName}`);
    let fired: Run | undefined;
    await untilTrue('it runs, or is over', async () => {
      fired = (await runsOf(jobName)).find(({ id, attempt }) => attempt === 1 && !before.has(id));
      return fired !== undefined && (fired.status === 'running') === (jobName === 'endless');
    });
    return fired?.id ?? '';
  }

  async function runsOf(jobName: string): Promise<readonly Run[]> {
    return app.manager.listRuns({ scheduleName: `a ${jobName}` });
  }

  it('lists runs by status, schedule, job, node and time', async () => {
    await fire('report');
    await fire('failing');
    await open('#/runs');
    await page
      .getByRole('row', { name: /a report/ })
      .first()
      .getByText('succeeded')
      .waitFor();
    const failed = page.getByRole('row', { name: /a failing/ }).first();
    await failed.getByText('The warehouse does not answer.').waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page
      .getByRole('row', { name: /a report/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Schedule', { exact: true }).fill('a report');
    await page
      .getByRole('row', { name: /a failing/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Schedule', { exact: true }).fill('');
    await page.getByLabel('Job').fill('failing');
    await page
      .getByRole('row', { name: /a report/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Job').fill('');
    await page.getByLabel('Node').fill('no such node');
    await page.getByText('No run matches.').waitFor();
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.getByLabel('Scheduled from').fill('2040-01-01T00:00');
    await page.getByText('No run matches.').waitFor();
  });

  it('shows a run with all of its error and its attempts, and runs it again', async () => {
    const text = `The first line\n${'x'.repeat(1_000)} the last word`;
    await app.manager.patch('a failing', { params: text, retry: { maxAttempts: 2, backoffMs: 0 } });
    const id = await fire('failing');
    await open(`#/runs/${id}`);
    await page.getByText('the last word').waitFor();
    await page.getByText('handler error').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'this run, attempt 1' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'retry, attempt 2' }).getByRole('link').click();
    await page.getByRole('listitem').filter({ hasText: 'this run, attempt 2' }).waitFor();
    expect(page.url()).not.toContain(id);
    await app.manager.patch('a failing', { retry: null });
    const runs = (await runsOf('failing')).length;
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.getByText('It runs again as soon as a node is free.').waitFor();
    await untilTrue('it ran', async () => (await runsOf('failing')).length === runs + 1);
  });

  it('cancels a run that is running', async () => {
    const id = await fire('endless');
    await open('#/overview');
    await page
      .getByRole('row', { name: /a endless/ })
      .getByText('running')
      .waitFor();
    await page.goto(`${app.origin}/cron#/runs/${id}`);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The run is asked to stop.').waitFor();
    await page.getByRole('heading', { name: /canceled/ }).waitFor();
    await page.getByText('Canceled by', { exact: true }).waitFor();
  });

  it('says that there is no such run', async () => {
    await open('#/runs/01970f2e-6c00-7000-8000-00000000abcd');
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('lists nodes with their slots and jobs', async () => {
    await open('#/nodes');
    const row = page.getByRole('row', { name: /alive/ });
    await row.getByText('0 of 16 busy').waitFor();
    await row.getByRole('link', { name: 'failing' }).click();
    await page.getByRole('row', { name: /a failing/ }).waitFor();
    expect(await page.getByLabel('Job').inputValue()).toBe('failing');
  });

  it('has in its overview what fired, what is late, and what fires next', async () => {
    await fire('report');
    await app.manager.create({
      name: 'soon',
      jobName: 'report',
      trigger: { kind: 'interval', everyMs: 600_000 },
    });
    await app.manager.create({ name: 'overdue', jobName: 'report', trigger: YEARLY });
    await database.query(
      `update crn_schedule set next_fire_at_unix_ms = next_fire_at_unix_ms - 500 * 86400000::bigint, job_name = 'gone' where name = 'overdue'`,
    );
    await open('');
    await page.getByRole('img', { name: /\d+ fires, \d+ failed or abandoned/ }).waitFor();
    await page
      .getByRole('img', { name: /fires?, the next/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'soon' }).first().waitFor();
    await page.getByText('1 schedule should have fired').waitFor();
    await page.getByRole('link', { name: 'overdue' }).waitFor();
    await page.getByLabel('Look back over').selectOption({ label: 'last 12 hours' });
    await page.getByRole('heading', { name: 'Fires per 5 minutes' }).waitFor();
    await page.getByLabel('Look ahead over').selectOption({ label: 'next 24 hours' });
    await page.getByRole('link', { name: 'soon' }).first().waitFor();
    await app.manager.delete('overdue');
    await app.manager.delete('soon');
    await page.getByText('Nothing is late').waitFor();
  });

  it('says in its overview what is held, why and by whom, and releases it', async () => {
    await app.manager.create({ name: 'overdue', jobName: 'report', trigger: YEARLY });
    const hold = { note: 'The warehouse moves.', until: Date.now() + 86_400_000, actor: { id: 'u-7' } };
    await app.manager.hold({}, hold);
    await app.manager.hold({ jobName: 'failing' }, { actor: { id: 'u-8' } });
    await database.query(
      `update crn_schedule set next_fire_at_unix_ms = next_fire_at_unix_ms - 500 * 86400000::bigint where name = 'overdue'`,
    );
    await open('');
    const held = page.getByRole('listitem').filter({ hasText: 'Everything is held' });
    await held.getByText(/by u-7, since .*, until .*: The warehouse moves\./).waitFor();
    await page.getByText(/The job failing is held by u-8, since .*\.$/).waitFor();
    await page.getByText('1 schedule should have fired, but for a hold').waitFor();
    expect(await page.getByText('start a node').count()).toBe(0);
    await page.getByRole('button', { name: 'Release everything' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release everything' });
    await dialog.getByRole('button', { name: 'Release' }).click();
    await page.getByText('Everything is released.').waitFor();
    await held.waitFor({ state: 'detached' });
    expect((await app.manager.listHolds()).map(({ jobName }) => jobName)).toEqual(['failing']);
    await page.getByText('Nothing is late').waitFor();
    await app.manager.delete('overdue');
  });

  it('says until when what would fire soon is held', async () => {
    await app.manager.create({
      name: 'soon',
      jobName: 'report',
      trigger: { kind: 'interval', everyMs: 600_000 },
    });
    await app.manager.hold({ jobName: 'report' }, { until: Date.now() + 1_800_000 });
    await open('#/overview');
    await page.getByRole('img', { name: /fires, the next .*; held until / }).waitFor();
    await app.manager.delete('soon');
  });

  it('holds everything, with a reason', async () => {
    await open('#/overview');
    await page.getByRole('button', { name: 'Hold everything' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hold everything' });
    await dialog.getByLabel('Reason').fill('Maintenance.');
    await dialog.getByRole('button', { name: 'Hold everything' }).click();
    await page.getByText(/Everything is held by u-1, since .*: Maintenance\./).waitFor();
    expect(await page.getByRole('button', { name: 'Hold everything' }).count()).toBe(0);
    expect(await app.manager.listHolds()).toMatchObject([{ heldBy: 'u-1', note: 'Maintenance.' }]);
  });

  it('leads from what is on record to the run or the schedule that it is about', async () => {
    const id = await fire('endless');
    await app.manager.cancelRun(id);
    await open('#/audit?action=cancel');
    await page.getByText(id).first().click();
    await page.getByRole('link', { name: `Open the run ${id}` }).click();
    await page.getByRole('heading', { name: /canceled/ }).waitFor();
    await page.goto(`${app.origin}/cron#/audit?action=trigger_now`);
    // The page of the run has a link of that name as well.
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.getByText('a endless').first().click();
    await page.getByRole('link', { name: 'Open the schedule a endless' }).click();
    await page.getByRole('heading', { name: 'a endless' }).waitFor();
  });

  it('has everything on record, to be narrowed down', async () => {
    await app.manager.pause('a report', { actor: { id: 'u-7', name: 'Paula' }, note: 'moving' });
    await app.manager.resume('a report');
    await open('#/audit');
    await page.getByText(/by Paula/).click();
    await page
      .getByRole('row', { name: /pauseNote/ })
      .getByText('moving')
      .waitFor();
    await page.getByLabel('Actor id').fill('u-7');
    await page
      .getByText(/^resume/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByText('Nothing is on record.').waitFor();
  });

  it('asks for nothing while its tab is hidden, and at once when it is looked at again', async () => {
    await open('#/nodes');
    await page.clock.install();
    await page.reload();
    await page.getByRole('row', { name: /alive/ }).waitFor();
    let requests = 0;
    page.on('request', () => (requests += 1));
    await page.clock.fastForward(60_000);
    await untilTrue('it polls', () => requests > 0);
    await setHidden(page, true);
    await page.waitForLoadState('networkidle');
    const before = requests;
    for (let minute = 0; minute < 10; minute += 1) {
      await page.clock.fastForward(60_000);
    }
    await page.waitForLoadState('networkidle');
    expect(requests).toBe(before);
    await setHidden(page, false);
    await untilTrue('it asks', () => requests > before);
  });
});

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}
