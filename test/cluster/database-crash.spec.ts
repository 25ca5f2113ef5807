import { every } from '../../lib/index.js';
import { Cluster, type NodeOptions } from './support/cluster.js';
import { DatabaseServer } from './support/database-server.js';

/** How often the server crashes, each time among fires. */
const CRASHES = 3;

const NODES: NodeOptions = {
  jobs: { work: 'quick', long: 'gated' },
  // Longer than a server needs to recover, so that whoever is silent for as long is dead indeed.
  store: { abandonedAfter: '15s' },
};

describe('a database server that crashes and is started again while nodes fire', () => {
  let server: DatabaseServer;
  let cluster: Cluster;

  beforeEach(async () => {
    server = await DatabaseServer.start();
    cluster = await Cluster.createOn(server.url);
  });

  afterEach(async () => {
    await cluster.close();
    await server.remove();
  });

  it('loses nothing and doubles nothing: neither what was being claimed nor what runs meanwhile', async () => {
    const [node] = await cluster.startAll(['a', 'b', 'c'], NODES);
    await node.ask('create', { name: 'long', jobName: 'long', trigger: every('1h'), recover: true });
    await cluster.advanceClock(3_600_000);
    for (let index = 0; index < 20; index += 1) {
      await node.ask('create', {
        name: `schedule ${index}`,
        jobName: 'work',
        trigger: every('1s'),
        concurrencyPolicy: 'allow',
        recover: true,
      });
    }
    await cluster.untilStarted('long');
    for (let crash = 1; crash <= CRASHES; crash += 1) {
      await cluster.untilStarted('schedule 19', 2 * crash);
      await server.crash();
      await server.restart();
    }
    await cluster.untilStarted('schedule 19', 2 * CRASHES + 2);
    await cluster.openGate('long');
    await cluster.untilRuns('long', ['succeeded']);
    await cluster.finish();

    const runs = await cluster.journal.runs();
    expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });
});
