import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ConsoleApp } from './console-app.js';

export type UserToken = 'operator-token' | 'viewer-token' | 'auditor-token' | 'stranger-token';

interface OpenOptions extends BrowserContextOptions {
  /** Who is signed in. Default: the operator. */
  readonly token?: UserToken | undefined;
  /** Such as `#/schedules`. */
  readonly view?: string;
  readonly path?: string;
}

/** A page of the console, and everything in it that a browser complained about. */
export interface ConsolePage {
  readonly page: Page;
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Opens the console in a browser of its own, signed in by a token of the session. */
export async function openConsole(
  browser: Browser,
  app: ConsoleApp,
  { token = 'operator-token', view = '', path = '/cron', ...context }: OpenOptions = {},
): Promise<ConsolePage> {
  const opened = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...context });
  opened.setDefaultTimeout(15_000);
  const page = await opened.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 40')) {
      complaints.push(message.text());
    }
  });
  await page.addInitScript({ content: signingInOnce(token) });
  await page.goto(`${app.origin}${path}${view}`);
  return { page, complaints, close: () => opened.close() };
}

/** Puts the token where a page of the application would, and not again when the page is loaded again. */
function signingInOnce(token: string): string {
  return `if (sessionStorage.getItem('visited') === null) {
    sessionStorage.setItem('visited', 'yes');
    sessionStorage.setItem('cron-store.token', ${JSON.stringify(token)});
  }`;
}
