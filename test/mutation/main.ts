// Removes each guard in turn from a copy of the code, and shows that a test turns red.
import { rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runTests, type Selection, type Verdict } from './jest-run.js';
import type { Killer, Mutation, RedundantGuard } from './mutation.js';
import { MUTATIONS, REDUNDANT_GUARDS } from './mutations/index.js';
import { WorkingCopy } from './working-copy.js';

const PROJECT = process.cwd();

type Outcome =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  | { readonly kind: 'failed'; readonly why: string };

const words = process.argv.slice(2);
const mutations = MUTATIONS.filter(isWanted);
const redundant = REDUNDANT_GUARDS.filter(isWanted);

const startedAt = performance.now();
const server = await startServer();
process.env['TEST_DATABASE_URL'] = server.url;
const copies = await Promise.all(
  Array.from({ length: Math.min(availableParallelism(), 4) }, () => WorkingCopy.of(PROJECT)),
);
try {
  const killers = [...mutations.map(({ killer }) => killer), ...redundant.map(({ survives }) => survives)];
  const isGreen = await allGreen(killers);
  const isProven = isGreen && (await allProven());
  process.stdout.write(`In ${Math.round((performance.now() - startedAt) / 1_000)} s.\n`);
  process.exitCode = isProven ? 0 : 1;
} finally {
  await Promise.all(copies.map((copy) => copy.remove()));
  await server.stop();
  await rm(server.dataFolder, { recursive: true, force: true });
}

/** Guards with one of the words in their name, or all where there are none. */
function isWanted({ guard }: Mutation | RedundantGuard): boolean {
  return words.length === 0 || words.some((word) => guard.includes(word));
}

/** What turns red without a guard must be green with it. */
async function allGreen(killers: readonly Killer[]): Promise<boolean> {
  const verdicts = await shared(selections(killers), async (selection, copy) => {
    const verdict = await runTests(copy.folder, selection);
    if (verdict.kind !== 'green') {
      print(`Not green to begin with: ${selection.spec}: ${shown(verdict)}`);
    }
    return verdict;
  });
  return verdicts.every(({ kind }) => kind === 'green');
}

/** Each file once, with all of its tests that are asked. */
function selections(killers: readonly Killer[]): Selection[] {
  const specs = [...new Set(killers.map(({ spec }) => spec))];
  return specs.map((spec) => ({
    spec,
    tests: [...new Set(killers.filter((killer) => killer.spec === spec).map(({ test }) => test))],
  }));
}

async function allProven(): Promise<boolean> {
  const outcomes = await shared(mutations, async (mutation, copy) => {
    const outcome = await outcomeOf(mutation, mutation.killer, copy);
    print(`${outcome.kind.padEnd(8)} ${mutation.guard}${outcome.kind === 'killed' ? `: ${outcome.by}` : ''}`);
    if (outcome.kind === 'failed') {
      print(outcome.why);
    }
    return outcome.kind === 'killed';
  });
  const survivals = await shared(redundant, async (guard, copy) => {
    const outcome = await outcomeOf(guard, guard.survives, copy);
    print(`${outcome.kind.padEnd(8)} ${guard.guard}, which is redundant: ${guard.because}`);
    return outcome.kind === 'survived';
  });
  return [...outcomes, ...survivals].every(Boolean);
}

async function outcomeOf(
  { edits }: Mutation | RedundantGuard,
  { spec, test }: Killer,
  copy: WorkingCopy,
): Promise<Outcome> {
  try {
    const verdict = await copy.whileChanged(edits, () => runTests(copy.folder, { spec, tests: [test] }));
    switch (verdict.kind) {
      case 'red':
        return { kind: 'killed', by: verdict.failed.join(', ') };
      case 'green':
        return { kind: 'survived' };
      case 'broken':
        return { kind: 'failed', why: shown(verdict) };
    }
  } catch (error) {
    return { kind: 'failed', why: String(error) };
  }
}

/** Works off a list, each item with a copy that nobody else uses meanwhile. */
async function shared<Item, Result>(
  items: readonly Item[],
  work: (item: Item, copy: WorkingCopy) => Promise<Result>,
): Promise<Result[]> {
  const left = [...items.entries()];
  const results: Result[] = [];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [index, item] = next;
        results[index] = await work(item, copy);
      }
    }),
  );
  return results;
}

async function startServer() {
  const module = join(PROJECT, 'sample/support/embedded-postgres/start.mjs');
  const { startEmbeddedPostgres } = (await import(
    pathToFileURL(module).href
  )) as typeof import('../../sample/support/embedded-postgres/start.mjs');
  return startEmbeddedPostgres({
    dataFolder: join(tmpdir(), `nestjs-cron-store-test-${process.getuid?.() ?? 'user'}`, String(process.pid)),
    settings: { fsync: 'off', max_connections: '300' },
    log: () => undefined,
  });
}

function shown(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'red':
      return `red: ${verdict.failed.join(', ')}`;
    case 'green':
      return 'green';
    case 'broken':
      return `no test ran:\n${verdict.output.slice(-2_000)}`;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
