import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What WCAG 2.2 AA does not allow on the page, one line for each element. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not bind.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const results = await page.evaluate<AxeResults>(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`),
  );
}
