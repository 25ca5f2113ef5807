// A node of a contestant, in a process of its own.
import { contestantNamed } from '../contestants/index.js';
import type { ActionRequest, NodeActions, NodeMessage, NodeProgram } from './protocol.js';
import { Recorder } from './recorder.js';
import { countRoundTrips } from './round-trips.js';

const program = JSON.parse(process.argv[2] ?? '') as NodeProgram;
const recorder = new Recorder();
const roundTrips = countRoundTrips();

const actions: NodeActions = {
  untilStarted: (count) => recorder.untilStarted(count),
  startedCount: () => recorder.count,
  takeRecord: () => recorder.take(),
  usage: (collects) => {
    if (collects) {
      globalThis.gc?.();
    }
    const { user, system } = process.cpuUsage();
    return {
      cpuMs: (user + system) / 1_000,
      residentBytes: process.memoryUsage.rss(),
      roundTrips: roundTrips(),
    };
  },
  request: async (kind) => (await starting).request(kind),
  manage: async (action, params) => (await starting).manage?.(action, params),
};

process.on('message', (request: ActionRequest) => {
  const act = actions[request.action] as (...args: readonly unknown[]) => unknown;
  void answer(request.id, async () => act(...request.args));
});
// A node whose benchmark has ended must not outlive it.
process.on('disconnect', () => process.exit());

const starting = contestantNamed(program.contestant).then((contestant) =>
  contestant.start({ url: program.url, settings: program.settings, recorder }),
);
process.on('SIGTERM', () => void starting.then((node) => node.stop()).finally(() => process.exit()));
await answer(0, async () => void (await starting));

async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    send({ id, result: await work() });
  } catch (error) {
    send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function send(message: NodeMessage): void {
  process.send?.(message);
}
