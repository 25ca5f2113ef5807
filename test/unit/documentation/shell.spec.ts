import { existsSync, readFileSync } from 'node:fs';
import { findOperation, OPERATIONS } from '../../../lib/management/operations/operations.js';
import { codeBlocksOf, MARKDOWN } from './support/manual.js';
import { type CodeBlock, PROJECT } from './support/page.js';
import { commandsIn, type ShellCommand } from './support/shell.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const MANIFEST = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')) as Manifest;

/** Its blocks are run as they stand by test/sample/rbac.spec.ts. */
const RUN_ELSEWHERE = 'sample/02-rbac/README.md';

/** Programs that are not the project's: of these only the syntax is checked. */
const OF_OTHERS = new Set(['docker', 'kill', 'kubectl', 'psql']);

const CHECKS: Readonly<Record<string, (words: readonly string[]) => string | undefined>> = {
  npm: checkNpm,
  npx: checkNpx,
  node: checkNode,
  curl: checkCurl,
};

const blocks = codeBlocksOf(MARKDOWN, 'sh', '').filter(({ page }) => page !== RUN_ELSEWHERE);

it('has blocks of shell', () => {
  expect(blocks.length).toBeGreaterThan(10);
});

it.each(blocks)('$page, line $line', (block) => expect(faultsIn(block)).toEqual([]));

function faultsIn({ text }: CodeBlock): readonly string[] {
  return commandsIn(text).flatMap((command) => faultOf(command) ?? []);
}

/** @returns what is wrong with a command, or undefined. */
function faultOf({ words: [program, ...words] }: ShellCommand): string | undefined {
  if (program === undefined || OF_OTHERS.has(program)) {
    return undefined;
  }
  const check = CHECKS[program];
  const fault = check === undefined ? 'nobody checks this program' : check(words);
  return fault === undefined ? undefined : `${program} ${words.join(' ')}: ${fault}`;
}

function checkNpm([verb = '', ...words]: readonly string[]): string | undefined {
  switch (verb) {
    case 'ci':
    case 'pack':
      return undefined;
    case 'install':
      return checkPackages(words);
    case 'run':
      return checkScript(words[0] ?? '') ?? checkPaths(words);
    case 'start':
    case 'test':
      return checkScript(verb) ?? checkPaths(words);
    default:
      return `npm has no use for ${verb} here`;
  }
}

/** What is installed is this package, or one that it works with. */
function checkPackages(words: readonly string[]): string | undefined {
  const known = Object.keys({ ...MANIFEST.peerDependencies, ...MANIFEST.devDependencies });
  const tarball = `./${MANIFEST.name}-${MANIFEST.version}.tgz`;
  return words
    .filter((word) => !word.startsWith('-'))
    .find((word) => word !== tarball && !known.includes(word.replace(/(?<=.)@[^/]*$/, '')));
}

function checkScript(script: string): string | undefined {
  return Object.hasOwn(MANIFEST.scripts, script) ? undefined : `there is no script ${script}`;
}

function checkPaths(words: readonly string[]): string | undefined {
  const missing = words.find((word) => word.startsWith('test/') && !existsSync(`${PROJECT}${word}`));
  return missing === undefined ? undefined : `there is no ${missing}`;
}

/** The commands of the package's own program are run by command-line.spec.ts. */
function checkNpx([program = '']: readonly string[]): string | undefined {
  return program === 'cron-store' ? undefined : `it is not this package's program`;
}

/** A program of the project, or the one that a reader has compiled. */
function checkNode([path = '']: readonly string[]): string | undefined {
  return /^(?:dist\/)?main\.js$/.test(path) || existsSync(`${PROJECT}${path}`)
    ? undefined
    : `there is no ${path}`;
}

/** A request of the management API names an action, by its address or in the envelope, with params that it has. */
function checkCurl(words: readonly string[]): string | undefined {
  const url = words.find((word) => /^(?:https?:|\$)/.test(word)) ?? '';
  const [, route, action] = /\/api\/(sys\/cron\/\w+)\/(\w+)$/.exec(url) ?? [];
  const isApi = route !== undefined || url.endsWith('/api');
  if (!isApi) {
    return undefined;
  }
  const body = JSON.parse(words[words.indexOf('-d') + 1] ?? '') as Readonly<Record<string, unknown>>;
  const { params = {} } = body as { readonly params?: object };
  const operation = findOperation(route ?? String(body['resource']), action ?? String(body['action']));
  if (operation === undefined) {
    return `there is no such action, but ${OPERATIONS.map((known) => known.action).join(', ')}`;
  }
  const shape = Object.entries(operation.paramsShape ?? {});
  const missing = shape.find(([name, { isRequired }]) => isRequired && !Object.hasOwn(params, name));
  const unknown = Object.keys(params).find((name) => !shape.some(([known]) => known === name));
  return missing === undefined && unknown === undefined ? undefined : `params: ${missing?.[0] ?? unknown}`;
}
