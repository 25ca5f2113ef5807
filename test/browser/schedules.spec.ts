import type { Browser, Page } from 'playwright-core';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { describeInBrowser, launchBrowser } from './support/browser.js';
import { type ConsoleApp, startConsoleApp } from './support/console-app.js';
import { type ConsolePage, openConsole } from './support/console-page.js';

const NIGHTLY = { kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' } as const;

describeInBrowser('schedules in the console', () => {
  let database: TestDatabase;
  let app: ConsoleApp;
  let browser: Browser;
  let opened: ConsolePage;
  let page: Page;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startConsoleApp({ url: database.url });
    browser = await launchBrowser();
  });

  beforeEach(async () => {
    await database.empty('crn_schedule', 'crn_run', 'crn_audit', 'crn_schedule_name');
  });

  afterEach(async () => {
    expect(opened.complaints).toEqual([]);
    await opened.close();
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

  async function createNightly(name = 'nightly report'): Promise<void> {
    await app.manager.create({ name, jobName: 'report', trigger: NIGHTLY, params: { region: 'eu' } });
  }

  it('say what to do where there are none', async () => {
    await open('#/schedules');
    await page.getByText('There are no schedules yet.').waitFor();
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByRole('heading', { name: 'New schedule' }).waitFor();
  });

  it('are listed with their trigger in words, and one runs now with other params', async () => {
    await createNightly();
    await open('#/schedules');
    const row = page.getByRole('row', { name: /nightly report/ });
    await row.getByText('At 02:00, Asia/Shanghai').waitFor();
    await row.getByRole('button', { name: 'Run now: nightly report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Params').fill('{ "region": "us" }');
    await dialog.getByLabel('Idempotency key').fill('ticket-1');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('nightly report runs as soon as a node is free.').waitFor();
    await row.getByText('succeeded').waitFor();
    expect(app.executions.map(({ params }) => params)).toContainEqual({ region: 'us' });
    await row.getByRole('img', { name: 'Last 1 run: 1 succeeded' }).waitFor();

    await row.getByRole('button', { name: 'Run now: nightly report' }).click();
    await dialog.getByLabel('Idempotency key').fill('ticket-1');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('was asked to run under this key before').waitFor();
  });

  it('are filtered and sorted by what the URL says, which can be sent to others', async () => {
    await createNightly();
    await app.manager.create({
      name: 'broken',
      jobName: 'failing',
      trigger: { kind: 'interval', everyMs: 3_600_000 },
    });
    await app.manager.pause('broken');
    await open('#/schedules');
    await page.getByRole('row', { name: /broken/ }).waitFor();
    await page.getByLabel('Name contains').fill('night');
    await page.getByRole('row', { name: /broken/ }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('name=night');
    await page.getByLabel('Name contains').fill('nothing like it');
    await page.getByText('No schedule matches.').waitFor();
    await page.getByRole('link', { name: 'Show all schedules' }).click();
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    await page.getByLabel('State').selectOption('paused');
    await page.getByRole('row', { name: /nightly/ }).waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /broken/ })
      .getByText('paused', { exact: true })
      .waitFor();
    await page.goto(`${app.origin}/cron#/schedules?sort=name&direction=desc`);
    await page
      .getByRole('columnheader', { name: 'Schedule' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    await page.getByRole('button', { name: 'Next fire' }).click();
    await page
      .getByRole('columnheader', { name: 'Next fire' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
  });

  it('pause with a reason, and resume', async () => {
    await createNightly();
    await open('#/schedules/nightly%20report');
    await page.getByRole('button', { name: 'Pause nightly report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The warehouse moves.');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/Paused by u-1.*The warehouse moves\./).waitFor();
    await page.getByRole('heading', { name: 'Next fires, if it were resumed now' }).waitFor();
    expect((await app.manager.get('nightly report')).schedule.pauseNote).toBe('The warehouse moves.');
    await page.getByRole('button', { name: 'Resume nightly report' }).click();
    await page.getByText('nightly report is resumed.').waitFor();
    expect((await app.manager.get('nightly report')).schedule.state).toBe('armed');
  });

  it('run while they are paused, once, and stay paused', async () => {
    await createNightly();
    await app.manager.pause('nightly report');
    await open('#/schedules/nightly%20report');
    await page.getByRole('button', { name: 'Run now: nightly report' }).click();
    await page.getByText('Only this one run passes').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('table').getByText('succeeded').waitFor();
    expect((await app.manager.get('nightly report')).schedule.state).toBe('paused');
  });

  it('are not run with their own params where those were emptied', async () => {
    await createNightly();
    await open('#/schedules/nightly%20report');
    await page.getByRole('button', { name: 'Run now: nightly report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Params').fill('');
    await dialog.getByText('write null').waitFor();
    expect(await dialog.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Params').fill('null');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('table').getByText('succeeded').waitFor();
    expect(app.executions.at(-1)?.params).toBeNull();
  });

  it('resume where they are parked, and show the pause that they have besides', async () => {
    await createNightly();
    await database.query(`update crn_schedule set parked_reason = 'The zone is gone.'`);
    await open('#/schedules/nightly%20report');
    await page.getByText('It could not be evaluated: The zone is gone.').waitFor();
    await page.getByRole('button', { name: 'Pause nightly report' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Until it is mended.');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/Paused by u-1.*Until it is mended\./).waitFor();
    await page.getByText('paused', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Pause nightly report' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run now: nightly report' }).click();
    await page.getByText('Only this one run passes').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resume nightly report' }).click();
    await page.getByText('nightly report is resumed.').waitFor();
    expect((await app.manager.get('nightly report')).schedule.state).toBe('armed');
    await page.getByRole('button', { name: 'Pause nightly report' }).waitFor();
    expect(await page.getByRole('button', { name: 'Resume nightly report' }).count()).toBe(0);
  });

  it('are created, with a preview of their fires and the messages of the parser as one types', async () => {
    await open('#/new');
    await page.getByLabel('Name').fill('working days');
    await page.getByLabel('Job').selectOption('report');
    await page.getByLabel('Expression').fill('0 25 * * *');
    await page.getByText(/hour/i).and(page.locator('.field-error')).first().waitFor();
    await page.getByLabel('Expression').fill('0 9 1 * MON');
    await page.getByText('Day of month and day of week are both restricted').waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Expression').fill('30 2 * * *');
    await page.getByText(/Clocks in Europe\/Berlin go forward/).waitFor();
    await page.getByLabel('A local time that daylight saving leaves out').selectOption('run_after');
    await page.getByText('At 02:30, Europe/Berlin').waitFor();
    await untilTrue('five fires are shown', async () => (await page.locator('.preview li').count()) === 5);
    await page.getByLabel('Params').fill('{ "region": ');
    await page.getByText('This is no JSON').waitFor();
    await page.getByLabel('Params').fill('{ "region": "eu" }');
    await page.getByText('Policies and bounds').click();
    await page.getByLabel('When it is late').selectOption('backfill');
    await page.getByLabel('But at most').fill('many');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('Write a whole number, not “many”.').first().waitFor();
    await page.getByLabel('But at most').fill('24');
    await page.getByLabel('Attempts of a failing run').fill('3');
    await page.getByLabel('Timeout of a run').fill('10m');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'working days' }).waitFor();
    expect((await app.manager.get('working days')).schedule).toMatchObject({
      expr: '30 2 * * *',
      timezone: 'Europe/Berlin',
      dstGap: 'run_after',
      params: { region: 'eu' },
      misfirePolicy: 'backfill',
      backfillLimit: 24,
      retry: { maxAttempts: 3, backoffMs: 10_000 },
      timeoutMs: 600_000,
      createdBy: 'u-1',
    });
  });

  it('are created with a fixed rate, or for once', async () => {
    await open('#/new');
    await page.getByLabel('Name').fill('often');
    await page.getByLabel('Job').selectOption('report');
    await page.getByLabel('Fixed rate').check();
    await page.getByLabel('Every', { exact: true }).fill('soon');
    await page.getByText('Write a duration such as 30s').waitFor();
    await page.getByLabel('Every', { exact: true }).fill('1h30m');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'often' }).waitFor();
    expect((await app.manager.get('often')).schedule.everyMs).toBe(5_400_000);
    await page.goto(`${app.origin}/cron#/new`);
    await page.getByLabel('Name').fill('once');
    await page.getByLabel('Once').check();
    await page.getByText('Say when it is to fire.').waitFor();
    await page.getByLabel('At', { exact: true }).fill('2040-01-01T12:00');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'once' }).waitFor();
    expect((await app.manager.get('once')).schedule.fireAtUnixMs).toBe(Date.parse('2040-01-01T11:00:00Z'));
  });

  it('say what the server refuses', async () => {
    await createNightly();
    await open('#/new');
    await page.getByLabel('Name').fill('nightly report');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page
      .getByRole('alert')
      .getByText(/nightly report/)
      .waitFor();
    await page.getByRole('heading', { name: 'New schedule' }).waitFor();
  });

  it('are edited: only what was touched changes, and nobody else is overwritten', async () => {
    await createNightly();
    await app.manager.pause('nightly report', { note: 'for now' });
    await open('#/schedules/nightly%20report');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Expression').fill('0 3 * * *');
    await page.getByLabel('Name').fill('early report');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'early report' }).waitFor();
    const { schedule } = await app.manager.get('early report');
    expect(schedule).toMatchObject({
      expr: '0 3 * * *',
      timezone: 'Asia/Shanghai',
      params: { region: 'eu' },
      state: 'paused',
      pauseNote: 'for now',
    });
    await page.getByRole('link', { name: 'Edit' }).click();
    // Not by its label alone, which the page of the schedule has as well.
    await page.getByRole('textbox', { name: 'Params' }).waitFor();
    await app.manager.patch('early report', { recover: true });
    await page.getByLabel('Params').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page
      .getByRole('alert')
      .getByText(/version/)
      .waitFor();
    expect((await app.manager.get('early report')).schedule.params).toEqual({ region: 'eu' });
  });

  it('fire when they did, to the millisecond, where only something else is edited', async () => {
    // In Berlin a local time that comes twice that night: this is the second.
    const at = Date.parse('2027-10-31T01:30:00.123Z');
    const endsAt = at + 500;
    await app.manager.create({
      name: 'once',
      jobName: 'report',
      trigger: { kind: 'once', atUnixMs: at },
      endsAt,
    });
    await open('#/schedules/once');
    const previewed = page.waitForRequest(/preview_fires/);
    await page.getByRole('link', { name: 'Edit' }).click();
    expect((await previewed).postDataJSON()).toMatchObject({
      params: { trigger: { atUnixMs: at }, endsAtUnixMs: endsAt },
    });
    await page.getByText('Policies and bounds').click();
    await page.getByLabel(/Fire again what a crash/).check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('once is changed.').waitFor();
    expect((await app.manager.get('once')).schedule).toMatchObject({
      fireAtUnixMs: at,
      endsAtUnixMs: endsAt,
      recover: true,
    });
  });

  it('preview the fires of a fixed rate in its own phase', async () => {
    await app.manager.create({
      name: 'hourly',
      jobName: 'report',
      trigger: { kind: 'interval', everyMs: 3_600_000 },
    });
    await database.query(
      `update crn_schedule set anchor_at_unix_ms = anchor_at_unix_ms - 1800000,
         next_fire_at_unix_ms = next_fire_at_unix_ms - 1800000`,
    );
    const [next = 0] = (await app.manager.get('hourly')).nextFiresUnixMs;
    await open('#/schedules/hourly/edit');
    const words = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Europe/Berlin',
    }).format(next);
    await page.locator('.preview li').first().getByText(words).waitFor();
  });

  it('lose their params where those are emptied, and nothing else', async () => {
    await createNightly();
    await app.manager.patch('nightly report', {
      retry: { maxAttempts: 3, backoffMs: 1_000, factor: 3 },
      timeout: '10m',
    });
    await app.manager.pause('nightly report', { note: 'for now' });
    const before = (await app.manager.get('nightly report')).schedule;
    await open('#/schedules/nightly%20report/edit');
    await page.getByLabel('Params').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('nightly report is changed.').waitFor();
    const after = (await app.manager.get('nightly report')).schedule;
    const { updatedAtUnixMs, updatedBy } = after;
    const expected = {
      ...before,
      params: undefined,
      version: before.version + 1,
      updatedAtUnixMs,
      updatedBy,
    };
    expect(after).toEqual(expected);
    expect(after).not.toHaveProperty('params');
  });

  it('say where no change is on record, instead of that there was none', async () => {
    await createNightly();
    await database.query('truncate crn_audit');
    await open('#/schedules/nightly%20report');
    await page.getByText('No change is on record under this name.').waitFor();
  });

  it('show their history, their year, and who changed what', async () => {
    await createNightly();
    await app.manager.patch('nightly report', { recover: true }, { actor: { id: 'u-9', name: 'Nina' } });
    await app.manager.triggerNow('nightly report');
    // The year is read once a minute.
    await untilTrue(
      'it ran',
      async () => (await app.manager.listRuns({ statuses: ['succeeded'] })).length > 0,
    );
    await open('#/schedules/nightly%20report');
    await page.getByRole('img', { name: /^1 run on 1 day of the last year, 0 days with failures/ }).waitFor();
    await page.getByText(/by Nina/).click();
    const change = page.getByRole('row', { name: /recover/ });
    await change.getByText('false').waitFor();
    await change.getByText('true').waitFor();
    await page.getByRole('table').first().getByText('succeeded').waitFor();
    await page.getByText('"region": "eu"').first().waitFor();
  });

  it('are deleted once their name is typed', async () => {
    await createNightly();
    await open('#/schedules/nightly%20report');
    await page.getByRole('button', { name: 'Delete nightly report' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await page.getByLabel('Type its name to confirm').fill('nightly');
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete nightly report' }).click();
    await page.getByLabel('Type its name to confirm').fill('nightly report');
    await confirm.click();
    await page.getByText('nightly report is deleted.').waitFor();
    await page.getByText('There are no schedules yet.').waitFor();
    expect(await app.manager.list()).toEqual([]);
  });

  it('say where one is orphaned or spent, and what that means', async () => {
    await createNightly('orphan');
    await app.manager.create({ name: 'over', jobName: 'report', trigger: NIGHTLY });
    await database.query(`update crn_schedule set job_name = 'gone' where name = 'orphan'`);
    await database.query(`update crn_schedule set next_fire_at_unix_ms = null where name = 'over'`);
    await open('#/schedules/orphan');
    await page.getByText('No live node registers the job gone').waitFor();
    await page.goto(`${app.origin}/cron#/schedules`);
    await page
      .getByRole('row', { name: /orphan/ })
      .getByText('orphaned')
      .waitFor();
    await page.getByRole('row', { name: /over/ }).getByText('spent').waitFor();
  });
});
