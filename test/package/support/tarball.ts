import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.js';

/** The folder of the project. */
export const PROJECT = join(import.meta.dirname, '../../..');

/** The package as it would be published. */
export interface Tarball {
  readonly path: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
  /** In bytes. */
  readonly packedSize: number;
  readonly unpackedSize: number;
  remove(): Promise<void>;
}

interface PackReport {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs what was built last. */
export async function packTarball(): Promise<Tarball> {
  const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-package-'));
  const output = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PROJECT });
  const [report] = JSON.parse(output) as readonly PackReport[];
  if (report === undefined) {
    throw new Error(`npm pack did not say what it packed:\n${output}`);
  }
  return {
    path: join(folder, report.filename),
    files: report.files.map(({ path }) => path),
    packedSize: report.size,
    unpackedSize: report.unpackedSize,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
