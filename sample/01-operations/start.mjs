// Starts the sample: `npm start`. NODES, DATABASE_URL and PORT are explained in the README beside.
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
    console.log(lines.join('\n'));
    const ports = await freePorts(firstPort, count);
    const environments = ports.map((port) => ({ DATABASE_URL: database.url, PORT: String(port) }));
    return await runNodes(`${output}/sample/01-operations/main.js`, environments, stop);
  } finally {
    await database.close();
  }
});
