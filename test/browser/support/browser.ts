import { accessSync, constants } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine, if it has one. */
export const executablePath = CANDIDATES.find((path) => path !== undefined && isExecutable(path));

/**
 * A group of tests that need a browser. Without one they are skipped and said to be, unless REQUIRE_BROWSER is set: then
 * its absence is a failure.
 */
export const describeInBrowser =
  executablePath !== undefined || process.env['REQUIRE_BROWSER'] === '1' ? describe : skipped();

/** @throws Error where there is no browser. */
export async function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) {
    throw new Error(
      'There is no Chromium. Install it (Debian: `apt-get install chromium`), or name one in CHROMIUM_PATH.',
    );
  }
  // The sandbox refuses to work as root; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

function skipped(): typeof describe.skip {
  process.stderr.write(
    'The tests of the console are skipped, for want of a browser: install Chromium, or name one in CHROMIUM_PATH.\n',
  );
  return describe.skip;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
