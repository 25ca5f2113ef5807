import { makeDue } from '../contestants/cron-store.js';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import { NOTICES_SOON, secondIn, settle } from '../harness/execution.js';
import { untilExecuted } from '../harness/nodes.js';
import { NodeProcess } from '../harness/node-process.js';
import type { Bench, Figures, Row } from '../harness/row.js';

const NAME: ContestantName = 'cron-store';

/** Fires that are due at once, again and again. */
const BATCH = 10_000;

const MIB = 1_048_576;

export const memory: Row = {
  name: 'memory',
  title: 'Resident memory of a node after its first fires and after many, when garbage is collected',
  async measure(bench) {
    return [{ label: NAME, rounds: [await measureMemory(bench)] }];
  },
};

async function measureMemory({ server, isQuick }: Bench): Promise<Figures> {
  const batches = isQuick ? 3 : 100;
  const contestant = await contestantNamed(NAME);
  return server.withDatabase(contestant, async (database) => {
    const firstAtUnixMs = secondIn(-2_000);
    await contestant.store(database, { count: BATCH, firstAtUnixMs });
    await settle(database);
    const node = await NodeProcess.start({ contestant: NAME, url: database.url, settings: NOTICES_SOON });
    const residentMib: number[] = [];
    for (let batch = 1; batch <= batches; batch += 1) {
      await untilExecuted(node, BATCH, { database, contestant });
      residentMib.push((await node.ask('usage', true)).residentBytes / MIB);
      await makeDue(database, firstAtUnixMs);
    }
    await node.stop();
    return {
      fires: BATCH * batches,
      [`MiB after ${BATCH}`]: residentMib[0] ?? Number.NaN,
      'MiB at the end': residentMib.at(-1) ?? Number.NaN,
      'MiB at most': Math.max(...residentMib),
    };
  });
}
