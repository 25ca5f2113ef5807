import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Evidence, RunRow } from '../../soak/checks/evidence.js';

/** A line as Nest writes it in JSON, as far as it is looked at. */
interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly params?: { readonly runId?: string };
}

const HARMLESS_LEVELS = new Set(['log', 'debug', 'verbose']);

/** What is said of runs that did not go well, and how the journal has such a run. */
const SAID_OF_RUNS: readonly { readonly sentence: RegExp; readonly status: RunRow['status'] }[] = [
  { sentence: /^The run .* failed(?:, and is tried again)?: /, status: 'failed' },
  { sentence: /^The run .* was abandoned: /, status: 'abandoned' },
  { sentence: /^\d+ occurrences of .* were missed\.$/, status: 'missed' },
];

/**
 * What the processes said of trouble, or said in no form at all, but for what the journal says as well: which runs
 * failed, were abandoned or were missed is checked there.
 */
export async function unexpectedLines(folder: string, { runs }: Evidence): Promise<string[]> {
  const statusOf = new Map(runs.map(({ id, status }) => [id, status]));
  const files = (await readdir(folder)).filter((file) => file.endsWith('.log'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text, index) =>
    text
      .split('\n')
      .filter((line) => line !== '' && !isExpected(line, statusOf))
      .map((line) => `${files[index]}: ${line}`),
  );
}

function isExpected(text: string, statusOf: ReadonlyMap<string, RunRow['status']>): boolean {
  const line = parse(text);
  if (line === undefined) {
    return false;
  }
  const status = statusOf.get(line.params?.runId ?? '');
  return (
    HARMLESS_LEVELS.has(line.level) ||
    SAID_OF_RUNS.some((said) => said.status === status && said.sentence.test(line.message))
  );
}

function parse(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
