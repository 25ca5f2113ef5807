import type { Combination } from './combinations.js';
import { CORE, coreOf } from './core.js';
import type { CombinationProject } from './combination-project.js';

/** Where the applications find the database. */
export interface Surroundings {
  readonly serverUrl: string;
  readonly poolerUrl: string | undefined;
}

/** What one check found. */
export interface Finding {
  readonly hasPassed: boolean;
  /** For the table. */
  readonly summary: string;
  /** Everything that was said. */
  readonly output: string;
}

const TSC = 'node_modules/typescript/bin/tsc';
const REPORT = 'specs.json';

/** Type-checks the sources and the specs of the core against the installed versions. */
export async function checkTypes(project: CombinationProject): Promise<Finding> {
  const include = ['lib', 'migrations', 'test/cluster/node', ...CORE];
  const settings = { extends: './tsconfig.json', include, exclude: ['node_modules', 'lib/console/ui'] };
  await project.write('tsconfig.core.json', JSON.stringify(settings));
  const { hasSucceeded, output } = await project.node([TSC, '--noEmit', '-p', 'tsconfig.core.json']);
  return { hasPassed: hasSucceeded, summary: hasSucceeded ? 'yes' : 'no', output };
}

/** Type-checks an application with the packed package, down to the package's declarations, and runs it. */
export async function checkPackage(
  project: CombinationProject,
  { serverUrl, poolerUrl }: Surroundings,
): Promise<Finding> {
  const compiled = await project.node([TSC, '--pretty', 'false', '-p', 'test/compat/app']);
  const faults = compiled.output.split('\n').filter((line) => /error TS/.test(line) && !isOfOthers(line));
  if (faults.length > 0) {
    return { hasPassed: false, summary: 'types', output: faults.join('\n') };
  }
  const database = { DATABASE_URL: poolerUrl ?? serverUrl, LISTEN: String(poolerUrl === undefined) };
  const required = await project.node(['dist/app/load.cjs']);
  const run = await project.node(['dist/app/main.js'], database);
  const hasPassed = required.hasSucceeded && run.hasSucceeded;
  return { hasPassed, summary: hasPassed ? 'yes' : 'no', output: required.output + run.output };
}

/** Runs the specs of the core. */
export async function checkSpecs(
  project: CombinationProject,
  combination: Combination,
  { serverUrl, poolerUrl }: Surroundings,
): Promise<Finding> {
  const startedAt = performance.now();
  const { hasSucceeded, output } = await project.node(
    [
      '--experimental-vm-modules',
      '--no-warnings=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${REPORT}`,
      '--runTestsByPath',
      ...coreOf(combination),
    ],
    {
      TEST_DATABASE_URL: serverUrl,
      ...(poolerUrl === undefined ? {} : { TEST_POOLER_URL: poolerUrl }),
    },
  );
  const counted = await countedIn(project);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return {
    hasPassed: hasSucceeded && counted.failed === 0,
    summary: `${counted.passed} passed${counted.failed === 0 ? '' : `, ${counted.failed} failed`} in ${seconds} s`,
    output,
  };
}

/** Also what could not run, or was left out, has not passed. */
async function countedIn(
  project: CombinationProject,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const report = await project.read(REPORT).catch(() => undefined);
  if (report === undefined) {
    return { passed: 0, failed: 1 };
  }
  const counts = JSON.parse(report) as Readonly<Record<string, number>>;
  const failures = ['numFailedTests', 'numRuntimeErrorTestSuites', 'numPendingTests', 'numTodoTests'];
  return {
    passed: counts['numPassedTests'] ?? 0,
    failed: failures.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
  };
}

/** Whether a fault is one of the declarations of another package. */
function isOfOthers(line: string): boolean {
  return /^(?:\.\.\/)*node_modules\//.test(line) && !line.includes('node_modules/nestjs-cron-store/');
}
