import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../support/project-copy.js';
import type { Edit } from './mutation.js';

/** A copy of the project's files outside of it, whose code can be changed. Its packages are the project's. */
export class WorkingCopy {
  private constructor(readonly folder: string) {}

  static async of(project: string): Promise<WorkingCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-mutation-'));
    await copyProject(project, folder);
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return new WorkingCopy(folder);
  }

  /**
   * Does some work while the code is changed.
   *
   * @throws Error when a text does not occur exactly once.
   */
  async whileChanged<Result>(edits: readonly Edit[], work: () => Promise<Result>): Promise<Result> {
    const originals = new Map<string, string>();
    try {
      for (const edit of edits) {
        const path = join(this.folder, edit.file);
        const source = await readFile(path, 'utf8');
        originals.set(path, originals.get(path) ?? source);
        await writeFile(path, changed(source, edit));
      }
      return await work();
    } finally {
      for (const [path, source] of originals) {
        await writeFile(path, source);
      }
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * The source with the text replaced.
 *
 * @throws Error when it does not occur exactly once.
 */
export function changed(source: string, { file, text, replacement }: Edit): string {
  const parts = source.split(text);
  if (parts.length !== 2) {
    throw new Error(`${file} has ${parts.length - 1} times, and not once:\n${text}`);
  }
  return parts.join(replacement);
}
