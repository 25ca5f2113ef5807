import { readdirSync, readFileSync } from 'node:fs';
import { PROJECT } from './page.js';
import { exportsOf } from './source.js';

/** The names that the entry points of the package export. */
export const PUBLIC_NAMES: readonly string[] = [
  'lib/index.ts',
  'lib/health/index.ts',
  'lib/health/terminus.ts',
  'lib/testing/index.ts',
].flatMap(exportsOf);

/** The text of every source file below some folders. */
export function sourcesBelow(...folders: readonly string[]): string {
  return folders
    .flatMap(sourceFilesBelow)
    .map((path) => readFileSync(`${PROJECT}${path}`, 'utf8'))
    .join('\n');
}

/** The paths of the source files below a folder. */
export function sourceFilesBelow(folder: string): readonly string[] {
  return readdirSync(`${PROJECT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:[cm]?[jt]s|tsx)$/.test(path) && !/node_modules|dist\//.test(path))
    .map((path) => `${folder}/${path}`);
}
