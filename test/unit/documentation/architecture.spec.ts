import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { Page, PROJECT } from './support/page.js';
import { sourceFilesBelow } from './support/public-names.js';
import { codeIn } from './support/table.js';

/** Files that know the rooms. Of those beside the rooms, a room may know only the others. */
const COMPOSITION = ['cron-store.module', 'index'];

/** The browser loads only the files that it needs. */
const USES_SINGLE_FILES = 'console/ui';

/** Not a room: a folder of files, as TypeORM wants it. */
const IS_USED_BY_FILES = 'migrations';

interface Import {
  readonly importer: string;
  readonly imported: string;
}

const ROOMS = roomsOfTheManual();
const IMPORTS = ['lib', 'migrations'].flatMap(sourceFilesBelow).flatMap(importsOf);

it('has a room for each folder', () => {
  const folders = new Set(IMPORTS.flatMap(({ importer }) => roomOf(importer) ?? []));
  expect(folders).toEqual(new Set([...ROOMS.keys(), IS_USED_BY_FILES]));
});

it.each([...ROOMS])('%s knows what the manual says, and nothing else', (room, known) => {
  const found = IMPORTS.filter(({ importer }) => roomOf(importer) === room).map(
    ({ imported }) => roomOf(imported) ?? COMPOSITION.find((file) => imported === `lib/${file}`),
  );
  const others = found.filter((other) => other !== undefined && other !== room);
  expect(new Set(others)).toEqual(new Set(known));
});

it('uses a room through its index', () => {
  const passedBy = IMPORTS.filter(({ importer, imported }) => {
    const [from, to] = [roomOf(importer), roomOf(imported)];
    const isOpen = from === USES_SINGLE_FILES || to === IS_USED_BY_FILES;
    return to !== undefined && to !== from && !isOpen && !/^lib\/[^/]+\/index$/.test(imported);
  });
  expect(passedBy).toEqual([]);
});

function roomsOfTheManual(): ReadonlyMap<string, readonly string[]> {
  const { rows } = new Page('docs/architecture.md').tableIn('Rooms', 'Room', 'Knows');
  return new Map(
    rows.map((row) => {
      const [[room = ''] = [], , known = []] = row.map(codeIn);
      return [room, known.map((name) => name.replace(/\.ts$/, ''))];
    }),
  );
}

/** Undefined for a file that every room may use. */
function roomOf(file: string): string | undefined {
  if (file.startsWith('migrations/')) {
    return 'migrations';
  }
  return /^lib\/(console\/ui|[^/]+)\//.exec(file)?.[1];
}

/** The imports of a source file from another, types among them; without the ends of names. */
function importsOf(path: string): readonly Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(`${PROJECT}${path}`, 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(posix.dirname(path), fileName).replace(/\.js$/, ''))
    .filter((imported) => ['.ts', '.tsx'].some((end) => existsSync(`${PROJECT}${imported}${end}`)))
    .map((imported) => ({ importer: path, imported }));
}
