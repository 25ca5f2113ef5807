import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = join(import.meta.dirname, '../../..');

/**
 * Packs what this repository was at a commit, built with what it needed then, in a copy.
 *
 * @param {string} ref what git knows the commit by
 * @param {string} folder gets the tarball
 * @returns {Promise<string>} the tarball's path, which names the version and the commit
 */
export async function packRef(ref, folder) {
  const commit = await commitOf(ref);
  const copy = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-ref-'));
  try {
    await run('git', ['clone', '--quiet', '--no-checkout', PROJECT, copy], tmpdir());
    await run('git', ['checkout', '--quiet', '--detach', commit], copy);
    await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], copy);
    await run('npm', ['run', 'build'], copy);
    const [{ filename }] = JSON.parse((await run('npm', ['pack', '--json'], copy)).stdout);
    await mkdir(folder, { recursive: true });
    const tarball = join(folder, filename.replace(/\.tgz$/, `-${commit}.tgz`));
    await copyFile(join(copy, filename), tarball);
    return tarball;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** @param {string} ref */
async function commitOf(ref) {
  try {
    const { stdout } = await run('git', ['rev-parse', '--verify', '--short=7', `${ref}^{commit}`], PROJECT);
    return stdout.trim();
  } catch (cause) {
    throw new Error(`This repository has no commit ${JSON.stringify(ref)}: name one that git knows.`, {
      cause,
    });
  }
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} cwd
 */
async function run(program, parameters, cwd) {
  // What npm tells the scripts that it starts is about this project, and not about the copy.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return promisify(execFile)(program, parameters, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
}
