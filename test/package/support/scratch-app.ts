import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './run.js';
import { PROJECT } from './tarball.js';

const TSC = join(PROJECT, 'node_modules/typescript/bin/tsc');

/** An application in a folder of its own, outside of the project, which has what its manifest says and nothing else. */
export class ScratchApp {
  private constructor(readonly folder: string) {}

  static async create(manifest: object): Promise<ScratchApp> {
    const app = new ScratchApp(await mkdtemp(join(tmpdir(), 'nestjs-cron-store-app-')));
    await app.write('package.json', JSON.stringify({ name: 'app', private: true, ...manifest }));
    return app;
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** Installs packages, and what the manifest names. */
  async install(...packages: readonly string[]): Promise<void> {
    await this.run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages]);
  }

  async run(
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<string> {
    return run(program, args, { cwd: this.folder, ...(env === undefined ? {} : { env }) });
  }

  /** Runs a program of Node. */
  async node(
    source: string,
    extension: 'mjs' | 'cjs',
    env?: Readonly<Record<string, string>>,
  ): Promise<string> {
    const file = `main.${extension}`;
    await this.write(file, source);
    return this.run(process.execPath, [file], env);
  }

  /**
   * Type-checks a source, and every declaration that it reaches.
   *
   * @returns the faults that are not those of other packages' declarations.
   */
  async faultsOf(file: string, source: string): Promise<readonly string[]> {
    await this.write(file, source);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--pretty', 'false'];
    const language = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--experimentalDecorators',
      '--types',
      'node',
    ];
    const output = await this.run(process.execPath, [TSC, ...options, ...language, file]).catch(String);
    return output.split('\n').filter((line) => /: error TS|^error TS/.test(line) && !isOfOthers(line));
  }

  /** Does something while packages are not there. */
  async without<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const [name, ...others] = names;
    if (name === undefined) {
      return work();
    }
    const place = join(this.folder, 'node_modules', name);
    const aside = `${place}-aside`;
    await rename(place, aside);
    try {
      return await this.without(others, work);
    } finally {
      await rename(aside, place);
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function isOfOthers(line: string): boolean {
  return line.startsWith('node_modules/') && !line.startsWith('node_modules/nestjs-cron-store/');
}
