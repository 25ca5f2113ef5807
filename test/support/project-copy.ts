import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Copies the project's own files, committed or not, and nothing that was built or installed. */
export async function copyProject(project: string, folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    { cwd: project, maxBuffer: 2 ** 26 },
  );
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await cp(join(project, file), join(folder, file)).catch(ignoreDeleted);
  }
}

/** The index may name files that are deleted already. */
function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') {
    throw error;
  }
}
