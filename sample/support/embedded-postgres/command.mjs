import { spawn } from 'node:child_process';
import { EmbeddedPostgresError } from './errors.mjs';

/** @import { Account } from './account.mjs' */

/**
 * Runs a program of PostgreSQL to its end.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {Account | undefined} account
 * @returns {Promise<{ succeeded: boolean, report: string }>} the report is all that it wrote
 */
export function run(program, parameters, account) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      ...(account && { uid: account.uid, gid: account.gid }),
      // The current folder may be closed to the account.
      cwd: '/',
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let report = '';
    child.stdout.on('data', (chunk) => (report += chunk));
    child.stderr.on('data', (chunk) => (report += chunk));
    child.once('close', (code) => resolve({ succeeded: code === 0, report }));
    child.once('error', (cause) => {
      const as = account ? ` as "${account.name}"` : '';
      const message = `${program} cannot be run${as} on this system: ${cause.message}.`;
      reject(new EmbeddedPostgresError(message, { cause }));
    });
  });
}

/**
 * Settings for another PostgreSQL (`PGDATA`, `PGPORT` and their like) must not reach this one, and its reports
 * are read here, hence in English.
 */
function environment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
