// Starts the sample: `node sample/03-console/start.mjs`. DATABASE_URL and PORT are explained in the README beside.
import { build } from '../support/build.mjs';
import { openDatabase } from '../support/database.mjs';
import { main } from '../support/main.mjs';
import { runNodes } from '../support/nodes.mjs';

await main(async (stop) => {
  const output = await build(stop);
  const database = await openDatabase('03-console');
  try {
    const environment = { PORT: '3230', ...process.env, DATABASE_URL: database.url };
    return await runNodes(`${output}/sample/03-console/main.js`, [environment], stop);
  } finally {
    await database.close();
  }
});
