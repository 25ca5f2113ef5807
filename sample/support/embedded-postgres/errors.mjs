import { statfs } from 'node:fs/promises';
import { errorCode } from './error-code.mjs';

/** What every failure of the embedded server ends with: the way round it. */
const WAY_OUT =
  'To use a PostgreSQL server of your own instead, set DATABASE_URL (for the tests, TEST_DATABASE_URL).';

/** Less than one WAL segment: no server starts, and no cluster is made, in so little. */
const TOO_LITTLE_SPACE = 16 * 1024 * 1024;

/** The embedded server cannot serve; the message says why and what to change. */
export class EmbeddedPostgresError extends Error {
  /** @override */
  name = 'EmbeddedPostgresError';

  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(`${message}\n${WAY_OUT}`, options);
  }
}

/**
 * The error for a PostgreSQL program that failed in `folder`, out of what the program itself reported.
 *
 * @param {string} failure what could not be done, as the beginning of a sentence
 * @param {string} report what the program wrote
 * @param {string} folder
 */
export async function errorFromReport(failure, report, folder) {
  const reason = (await isDiskFull(report, folder))
    ? `: the disk that holds ${folder} is full. Free some space there, or choose another data folder.`
    : '. PostgreSQL reported:';
  return new EmbeddedPostgresError(`${failure}${reason}\n${essence(report)}`.trimEnd());
}

/**
 * The error for a fault of the system, such as a folder that may not be written; anything else as it is.
 *
 * @param {unknown} fault
 */
export function errorFromSystem(fault) {
  const isOfSystem = !(fault instanceof EmbeddedPostgresError) && typeof errorCode(fault) === 'string';
  return isOfSystem
    ? new EmbeddedPostgresError(`PostgreSQL cannot be started (${String(fault)}).`, { cause: fault })
    : fault;
}

/**
 * A server that cannot write cannot write its log either, so an innocent report does not rule out a full disk.
 *
 * @param {string} report
 * @param {string} folder
 */
async function isDiskFull(report, folder) {
  if (/No space left on device|not enough space on the disk/i.test(report)) {
    return true;
  }
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < TOO_LITTLE_SPACE;
  } catch {
    return false;
  }
}

/**
 * The lines that name a fault, or else the last ones.
 *
 * @param {string} report
 */
function essence(report) {
  const lines = report.trim().split('\n');
  const faults = lines.filter((line) => /error:|ERROR:|FATAL:|PANIC:|DETAIL:|HINT:|could not/.test(line));
  return (faults.length > 0 ? faults : lines).slice(-8).join('\n');
}
