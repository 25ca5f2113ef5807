// Takes the pictures of the README from the sample: `npm run screenshots`. Needs Chromium, as the tests do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const PROJECT = join(import.meta.dirname, '../..');
const TARGET = join(PROJECT, 'docs/screenshots');
const TOKEN = 'operator-of-the-screenshots';
/** As many runs of a schedule as fill its strip. */
const ENOUGH_RUNS = 20;

const PICTURES = [
  { name: 'overview', view: 'overview', ready: '.timeline li' },
  { name: 'schedules', view: 'schedules', ready: 'tbody tr' },
  { name: 'schedule-dark', view: 'schedules/partner-sync', ready: '.day-empty', colorScheme: 'dark' },
  { name: 'new-schedule', view: 'new', ready: '.preview li', act: writeSchedule },
  { name: 'telephone', view: 'schedules', ready: 'tbody tr', width: 400, colorScheme: 'dark' },
];

const sample = spawn(process.execPath, [join(PROJECT, 'sample/01-operations/start.mjs')], {
  env: { ...process.env, OPERATOR_TOKEN: TOKEN, PORT: process.env.PORT ?? '3910' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const origin = await originOf(sample);
  await untilEnoughRuns(origin);
  await mkdir(TARGET, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  for (const picture of PICTURES) {
    await take(browser, origin, picture);
  }
  await browser.close();
} finally {
  sample.kill('SIGTERM');
  await once(sample, 'exit');
}

async function originOf({ stdout }) {
  for await (const line of createInterface(stdout)) {
    const [, origin] = /Operators are served at (http:\/\/[^/]+)/.exec(line) ?? [];
    if (origin !== undefined) {
      stdout.resume();
      return origin;
    }
  }
  throw new Error('The sample did not start.');
}

async function untilEnoughRuns(origin) {
  for (;;) {
    const response = await fetch(`${origin}/api/sys/cron/run/find_page`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ params: { scheduleName: 'partner-sync' } }),
    });
    const { data } = await response.json();
    if (data.total >= ENOUGH_RUNS) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function take(browser, origin, { name, view, ready, act, width = 1100, colorScheme = 'light' }) {
  const page = await browser.newPage({
    colorScheme,
    viewport: { width, height: 780 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  await page.addInitScript((token) => sessionStorage.setItem('cron-store.token', token), TOKEN);
  await page.goto(`${origin}/cron#/${view}`);
  await page.locator(ready).first().waitFor();
  await act?.(page);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
  await page.close();
}

async function writeSchedule(page) {
  await page.getByLabel('Name').fill('weekly-invoices');
  await page.getByLabel('Expression').fill('30 2 * * MON-FRI,SUN');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByText('Clocks in Europe/Berlin go forward').waitFor();
  await page.locator('.preview[aria-busy=false]').waitFor();
}
