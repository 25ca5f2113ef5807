import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const FIRST_PORT = 3210;
const PORTS_TO_TRY = 100;

/** How many nodes are wanted, by NODES. */
export function wantedNodes() {
  return wholeNumber('NODES', 1, { least: 1, most: 20 });
}

/** The port of the first node, by PORT. */
export function wantedPort() {
  return wholeNumber('PORT', FIRST_PORT, { least: 1, most: 65_535 });
}

/**
 * Ports for the nodes: the first free ones, so that another `npm start` beside this one finds its own.
 *
 * @param {number} first the first to try
 * @param {number} count
 */
export async function freePorts(first, count) {
  /** @type {number[]} */
  const free = [];
  for (let port = first; free.length < count; port += 1) {
    if (port === first + PORTS_TO_TRY || port > 65_535) {
      throw new Error(`there are no ${count} free ports from ${first} on. Set PORT to another one.`);
    }
    if (await isFree(port)) {
      free.push(port);
    }
  }
  return free;
}

/**
 * Runs a process for each environment until all have ended, and stops them when asked to. They belong to the same
 * process group as this one: killing the group is a crash of all. When only this process is killed, they stop by
 * themselves, as the channel to it closes.
 *
 * @param {string} program
 * @param {readonly Record<string, string>[]} environments
 * @param {AbortSignal} stop
 * @returns {Promise<boolean>} whether every one of them ended as asked
 */
export async function runNodes(program, environments, stop) {
  stop.throwIfAborted();
  const nodes = environments.map((environment, index) => {
    const name = environments.length === 1 ? undefined : `node ${index + 1}`;
    return startNode(program, environment, name);
  });
  const stopAll = () => nodes.forEach(({ child }) => child.kill('SIGTERM'));
  stop.addEventListener('abort', stopAll);
  const endings = await Promise.all(nodes.map((node) => ended(node, stop)));
  return endings.every(Boolean);
}

/**
 * @param {string} program
 * @param {Record<string, string>} environment
 * @param {string | undefined} name prefixes the lines of several nodes
 */
function startNode(program, environment, name) {
  const output = name === undefined ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...colors(), ...environment },
    stdio: ['ignore', output, output, 'ipc'],
  });
  const lines = [child.stdout, child.stderr].flatMap((stream) => (stream ? [createInterface(stream)] : []));
  lines.forEach((stream) => stream.on('line', (line) => console.log(`${name} | ${line}`)));
  return { child, name: name ?? 'the node' };
}

/** A node that writes into a pipe cannot tell whether it ends at a terminal. */
function colors() {
  return process.stdout.isTTY ? {} : { NO_COLOR: '1' };
}

/**
 * @param {ReturnType<typeof startNode>} node
 * @param {AbortSignal} stop
 */
async function ended({ child, name }, stop) {
  const [code, signal] = await once(child, 'exit');
  if (!stop.aborted) {
    console.log(`${name} (process ${child.pid}) ended ${signal ? `by ${signal}` : `with code ${code}`}.`);
  }
  return stop.aborted || code === 0;
}

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(true)));
  });
}

/**
 * @param {string} name of an environment variable
 * @param {number} fallback
 * @param {{ least: number, most: number }} range
 */
function wholeNumber(name, fallback, { least, most }) {
  const given = process.env[name];
  const value = given ? Number(given) : fallback;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${given}".`);
  }
  return value;
}
