// `npm run test:compat -- --only node-22,postgres-14`: runs the suite's core, and the packed package, on other versions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { checkPackage, checkSpecs, checkTypes, type Finding, type Surroundings } from './checks.js';
import { CombinationProject } from './combination-project.js';
import { type Combination, COMBINATIONS, wordsOf } from './combinations.js';
import { Pooler } from './pooler.js';
import { runProgram } from './program.js';
import { markdownTable } from './table.js';

const PROJECT = process.cwd();
const PACK_DEADLINE_MS = 2 * 60_000;
const SHOWN_CHARACTERS = 8_000;
const HEADER = [
  '',
  'Node.js',
  'NestJS',
  'TypeORM',
  'pg',
  'PostgreSQL',
  'PgBouncer',
  'Types',
  'Package',
  'Core',
];

/** What was found of a combination. */
interface Result {
  readonly hasPassed: boolean;
  /** Cells of its row in the table. */
  readonly cells: readonly string[];
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = combinationsOf(values.only?.split(','));
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort(new Error(`Ended by ${signal}.`)));
}
const packs = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-pack-'));
try {
  const tarball = await pack();
  const results: Result[] = [];
  for (const combination of wanted) {
    results.push(await resultOf(combination, tarball));
  }
  print(
    `\n${markdownTable(
      HEADER,
      results.map(({ cells }) => cells),
    )}`,
  );
  process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1;
} finally {
  await rm(packs, { recursive: true, force: true });
}

/** Those with one of the words, or all where none are given. */
function combinationsOf(words: readonly string[] | undefined): readonly Combination[] {
  const known = new Set(COMBINATIONS.flatMap(wordsOf));
  const unknown = words?.filter((word) => !known.has(word)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`There is no ${unknown.join(', ')}. --only takes: ${[...known].join(', ')}.`);
  }
  return COMBINATIONS.filter(
    (combination) => words === undefined || wordsOf(combination).some((word) => words.includes(word)),
  );
}

/** Packs what was built last. @returns the path of the tarball. */
async function pack(): Promise<string> {
  const { hasSucceeded, output } = await runProgram(
    'npm',
    ['pack', '--silent', '--pack-destination', packs],
    { cwd: PROJECT, deadlineMs: PACK_DEADLINE_MS, signal: interruption.signal },
  );
  if (!hasSucceeded) {
    throw new Error(`npm cannot pack:\n${output}`);
  }
  return join(packs, output.trim());
}

async function resultOf(combination: Combination, tarball: string): Promise<Result> {
  print(`--- ${combination.name}: ${wordsOf(combination).slice(1).join(', ')}`);
  const project = await CombinationProject.create(PROJECT, tarball, combination, interruption.signal);
  let result: Result | undefined;
  try {
    const { hasSucceeded, output } = await project.install();
    if (!hasSucceeded) {
      print(`It cannot be installed:\n${output}`);
      return { hasPassed: false, cells: [combination.name, 'not installed'] };
    }
    result = await whileServed(project, combination, (surroundings, versions) =>
      checked(project, combination, surroundings, versions),
    );
    return result;
  } finally {
    if (result?.hasPassed === true || interruption.signal.aborted) {
      await project.remove();
    } else {
      print(`What failed is left in ${project.folder}.`);
    }
  }
}

/** Runs every check, also after one that failed. */
async function checked(
  project: CombinationProject,
  combination: Combination,
  surroundings: Surroundings,
  serverVersions: readonly string[],
): Promise<Result> {
  const types = told('types', await checkTypes(project));
  const packed = told('package', await checkPackage(project, surroundings));
  const specs = told('core', await checkSpecs(project, combination, surroundings));
  return {
    hasPassed: [types, packed, specs].every(({ hasPassed }) => hasPassed),
    cells: [
      combination.name,
      await project.nodeVersion(),
      await project.versionOf('@nestjs/core'),
      await project.versionOf('typeorm'),
      await project.versionOf('pg'),
      ...serverVersions,
      types.summary,
      packed.summary,
      specs.summary,
    ],
  };
}

function told(what: string, finding: Finding): Finding {
  print(`${what}: ${finding.summary}`);
  if (!finding.hasPassed) {
    print(finding.output.slice(-SHOWN_CHARACTERS));
  }
  return finding;
}

/** Does some work while the combination's server runs, with a pooler in front of it where the combination says so. */
async function whileServed(
  project: CombinationProject,
  { pooled }: Combination,
  work: (surroundings: Surroundings, versions: readonly string[]) => Promise<Result>,
): Promise<Result> {
  // From the project's folder, so that the programs are those of its package.
  const module = join(project.folder, 'sample/support/embedded-postgres/start.mjs');
  const { startEmbeddedPostgres } = (await import(
    pathToFileURL(module).href
  )) as typeof import('../../sample/support/embedded-postgres/start.mjs');
  const server = await startEmbeddedPostgres({
    dataFolder: join(tmpdir(), `nestjs-cron-store-test-${process.getuid?.() ?? 'user'}`, String(process.pid)),
    settings: { fsync: 'off', max_connections: '300' },
    log: () => undefined,
  });
  try {
    const pooler = pooled ? await Pooler.start(server) : undefined;
    try {
      const surroundings = { serverUrl: server.url, poolerUrl: pooler?.url };
      return await work(surroundings, [await serverVersion(server.url), pooler?.version ?? '']);
    } finally {
      await pooler?.stop();
    }
  } finally {
    await server.stop();
    await rm(server.dataFolder, { recursive: true, force: true });
  }
}

async function serverVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? '';
  } finally {
    await client.end();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
