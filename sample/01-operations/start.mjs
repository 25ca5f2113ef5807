// Starts the sample: `npm start`. NODES, DATABASE_URL and PORT are explained in the README beside.
import { randomBytes } from 'node:crypto';
import { build } from '../support/build.mjs';
import { openDatabase } from '../support/database.mjs';
import { main } from '../support/main.mjs';
import { freePorts, runNodes, wantedNodes, wantedPort } from '../support/nodes.mjs';

await main(async (stop) => {
  const count = wantedNodes();
  const firstPort = wantedPort();
  const output = await build(stop);
  const database = await openDatabase('01-operations');
  try {
    /** @type {import('./journal/report-journal.js')} */
    const { reportJournal } = await import(`${output}/sample/01-operations/journal/report-journal.js`);
    const { lines } = await reportJournal(database.url);
    const ports = await freePorts(firstPort, count);
    const tokens = { OPERATOR_TOKEN: token('operator'), VIEWER_TOKEN: token('viewer') };
    console.log(invitation(ports, tokens));
    console.log(lines.join('\n'));
    const environments = ports.map((port) =>
      Object.assign({ DATABASE_URL: database.url, PORT: String(port) }, tokens),
    );
    return await runNodes(`${output}/sample/01-operations/main.js`, environments, stop);
  } finally {
    await database.close();
  }
});

/**
 * A token of the environment's, or a new one: nobody should guess it, who has the application's page opened by a browser.
 *
 * @param {'operator' | 'viewer'} role
 */
function token(role) {
  return process.env[`${role.toUpperCase()}_TOKEN`] || `${role}-${randomBytes(6).toString('hex')}`;
}

/**
 * Where the console is, and how to sign in.
 *
 * @param {readonly number[]} ports
 * @param {{ OPERATOR_TOKEN: string, VIEWER_TOKEN: string }} tokens
 */
function invitation(ports, { OPERATOR_TOKEN, VIEWER_TOKEN }) {
  const urls = ports.map((port) => `http://127.0.0.1:${port}/cron`);
  return [
    '',
    `  Console   ${urls.join('  ')}`,
    `  Sign in   with the token ${OPERATOR_TOKEN}, or with ${VIEWER_TOKEN} to look only`,
    '',
  ].join('\n');
}
