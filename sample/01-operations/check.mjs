// Checks the sample's journal, also while nodes are running: `npm run sample:check`. Fails when it does not add up.
import { build } from '../support/build.mjs';
import { openDatabase } from '../support/database.mjs';
import { main } from '../support/main.mjs';

await main(async (stop) => {
  const output = await build(stop);
  const database = await openDatabase('01-operations');
  try {
    /** @type {import('./journal/report-journal.js')} */
    const { reportJournal } = await import(`${output}/sample/01-operations/journal/report-journal.js`);
    const { lines, isSound } = await reportJournal(database.url);
    console.log(lines.join('\n'));
    return isSound;
  } finally {
    await database.close();
  }
});
