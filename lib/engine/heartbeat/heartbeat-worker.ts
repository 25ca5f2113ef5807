// The program of the worker thread that stands in for the main thread's heartbeats while a handler blocks the event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { HeartbeatConnection } from './heartbeat-connection.js';
import type {
  HeartbeatWorkerOrder,
  HeartbeatWorkerReport,
  HeartbeatWorkerSettings,
  PreviousBeat,
} from './heartbeat-messages.js';
import { Silence } from './heartbeat-silence.js';

const settings = workerData as HeartbeatWorkerSettings;

const connection = new HeartbeatConnection(settings.connection, settings.patienceMs, {
  onConnected: () => report({ kind: 'connected' }),
  onDisconnected: () => report({ kind: 'disconnected' }),
  onUnreachable: (error) => report({ kind: 'unreachable', reason: String(error) }),
});

let silence = listen();
parentPort?.on('message', (order: HeartbeatWorkerOrder) => void obey(order));
await connection.open();

function listen(): Silence {
  return new Silence({ ...settings, beat: () => connection.run(settings.statement) });
}

async function obey(order: HeartbeatWorkerOrder): Promise<void> {
  switch (order.kind) {
    case 'beaten':
      return onBeaten(order.previous);
    case 'connect':
      return connection.reopen(order.connection);
  }
}

function onBeaten(previous: PreviousBeat): void {
  const { silentMs, beats } = silence.end();
  silence = listen();
  if (beats > 0 && previous === 'succeeded') {
    report({ kind: 'stoodIn', silentMs, beats });
  }
}

function report(message: HeartbeatWorkerReport): void {
  parentPort?.postMessage(message);
}
