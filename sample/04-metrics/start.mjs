// Starts the sample: `node sample/04-metrics/start.mjs`. DATABASE_URL, METRICS_PORT and PROBE_URL are explained in the
// README beside.
import { build } from '../support/build.mjs';
import { openDatabase } from '../support/database.mjs';
import { main } from '../support/main.mjs';
import { runNodes } from '../support/nodes.mjs';

await main(async (stop) => {
  const output = await build(stop);
  const database = await openDatabase('04-metrics');
  try {
    const environment = { ...process.env, DATABASE_URL: database.url };
    return await runNodes(`${output}/sample/04-metrics/main.js`, [environment], stop);
  } finally {
    await database.close();
  }
});
