import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../package/support/run.js';
import { ScratchApp } from '../../package/support/scratch-app.js';
import { PROJECT } from '../../package/support/tarball.js';

/** What the program of a node needs beside the package and its peers. */
const NEEDED = ['@nestjs/testing'] as const;

/** A version of the package, in an application of its own with the program of a node. */
export class InstalledVersion {
  private constructor(
    readonly name: string,
    private readonly app: ScratchApp,
  ) {}

  static async install(name: string, tarball: string): Promise<InstalledVersion> {
    const app = await ScratchApp.create({ type: 'module' });
    await app.install(tarball, ...NEEDED);
    // The same program for each version; what it imports is the package that is beside it.
    await cp(join(PROJECT, 'dist/upgrade/test'), join(app.folder, 'test'), { recursive: true });
    return new InstalledVersion(name, app);
  }

  /** Starts a node of this version. */
  get programFile(): string {
    return join(this.app.folder, 'test/upgrade/node/main.js');
  }

  /** Runs the command of this version against a database. */
  async command(databaseUrl: string, ...args: readonly string[]): Promise<string> {
    const program = join(this.app.folder, 'node_modules/.bin/cron-store');
    return run(program, args, { cwd: this.app.folder, env: { DATABASE_URL: databaseUrl } });
  }

  async remove(): Promise<void> {
    await this.app.remove();
  }
}
