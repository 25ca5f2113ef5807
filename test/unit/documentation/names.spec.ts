import * as api from '../../../lib/index.js';
import { OPERATIONS } from '../../../lib/management/operations/operations.js';
import { EXPECTED_COLUMNS } from '../../../lib/storage/schema/expected-schema.js';
import { codesByClass } from './support/error-codes.js';
import { MANUAL, manualProse, MARKDOWN, page } from './support/manual.js';
import { PUBLIC_NAMES, sourcesBelow } from './support/public-names.js';
import { commandsIn } from './support/shell.js';
import { literalsOf } from './support/source.js';

const manualText = MANUAL.map(({ text }) => text).join('\n');

/** Every different match of a pattern, in order. */
function named(pattern: RegExp, text = manualText): readonly string[] {
  return [...new Set(text.match(pattern) ?? [])].toSorted();
}

describe('the tables', () => {
  it('are all named', () => {
    const tables = Object.keys(EXPECTED_COLUMNS);
    expect(tables.filter((table) => !manualProse.includes(`\`${table}\``))).toEqual([]);
  });

  it('exist where they are named, and so do indexes', () => {
    const sources = sourcesBelow('lib', 'migrations');
    expect(named(/\bcrn_\w+/g).filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  });
});

it('names every reason of an invalid trigger', () => {
  const reasons = literalsOf('lib/triggers/trigger-invalid.error.ts', 'TriggerFault');
  expect(reasons.filter((reason) => !manualProse.includes(`\`${reason}\``))).toEqual([]);
});

it('names no code of an error that there is not', () => {
  const codes = new Set(Object.values(codesByClass()).map(String));
  const found = named(/(?<![\d.,-])27\d\d(?![\d.,]*\d|-)/g, manualProse);
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter((code) => !codes.has(code))).toEqual([]);
});

it('names no event, permission or resource that there is not', () => {
  const events = Object.entries(api).flatMap(([name, value]) =>
    name.endsWith('_EVENT') ? [String(value)] : [],
  );
  const permissions = OPERATIONS.flatMap(({ requires }) =>
    requires.kind === 'permission' ? [requires.name] : [],
  );
  const known = new Set([...events, ...permissions]);
  expect(named(/\bcron\.(?:run|schedule|audit|node)\.\w+/g).filter((name) => !known.has(name))).toEqual([]);
  const resources = OPERATIONS.map(({ resource }) => resource);
  expect(named(/\bsys\/cron\/\w+/g).filter((name) => !resources.some((one) => one === name))).toEqual([]);
});

describe('the classes and types', () => {
  const ofUs = /^(?:Cron|Run|Job|Schedule|Trigger|Params|Store)\w*[a-z]$/;
  /** Of NestJS, and the context of the log. */
  const others = ['SchedulerRegistry', 'CronStore'];
  /** They name the classes of other schedulers. */
  const aboutOthers = ['docs/migrating.md', 'docs/comparison.md'];

  it('can be imported where they are named, or are shown', () => {
    const shown = [...manualText.matchAll(/(?:class|interface|type) (\w+)/g)].map(([, name]) => name);
    const used = MANUAL.filter(({ path }) => ![...aboutOthers, 'docs/architecture.md'].includes(path))
      .flatMap((of) => of.inlineCode)
      .filter((code) => ofUs.test(code));
    expect(used.length).toBeGreaterThan(20);
    const known = new Set([...PUBLIC_NAMES, ...shown, ...others]);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('of the architecture exist', () => {
    const used = page('architecture').inlineCode.filter((code) => ofUs.test(code));
    const sources = sourcesBelow('lib');
    expect(used.filter((name) => !new RegExp(`(?:class|interface|type) ${name}\\b`).test(sources))).toEqual(
      [],
    );
  });
});

describe('the environment variables', () => {
  const markdown = MARKDOWN.map(({ text }) => text).join('\n');

  it('of the package and the samples are all named', () => {
    const read = named(
      /(?<=environment\[')[A-Z_]+|(?<=\benv\.|\benv\[')[A-Z_]+/g,
      sourcesBelow('lib', 'sample'),
    );
    expect(read).toEqual(expect.arrayContaining(['DATABASE_URL']));
    expect(read.filter((name) => !new RegExp(`\\b${name}\\b`).test(markdown))).toEqual([]);
  });

  it('are read where a command sets them', () => {
    const sources = sourcesBelow('lib', 'sample', 'test');
    const set = MARKDOWN.flatMap(({ path, codeBlocks }) =>
      path.startsWith('sample/02') ? [] : codeBlocks.filter(({ language }) => language === 'sh'),
    )
      .flatMap(({ text }) => commandsIn(text))
      .flatMap(({ environment }) => Object.keys(environment));
    expect(set).toEqual(expect.arrayContaining(['DATABASE_URL']));
    expect(set.filter((name) => !sources.includes(name))).toEqual([]);
  });
});
