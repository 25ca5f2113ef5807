import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Execution } from '../../../lib/index.js';
import type { Behaviour } from './protocol.js';
import type { Recorder } from './recorder.js';

/** Executes one run as its job's behaviour says, and records it. */
export async function executeJob(
  behaviour: Behaviour,
  execution: Execution,
  recorder: Recorder,
): Promise<void> {
  const onAbort = () => void recorder.deed('aborted', execution);
  execution.signal.addEventListener('abort', onAbort, { once: true });
  await recorder.deed('started', execution);
  try {
    await behave(behaviour, execution, recorder);
  } catch (error) {
    await recorder.deed('threw', execution);
    throw error;
  }
  await recorder.deed('returned', execution);
}

async function behave(behaviour: Behaviour, execution: Execution, recorder: Recorder): Promise<void> {
  switch (behaviour) {
    case 'quick':
      return;
    case 'gated':
      return untilOpen(execution, recorder, execution.signal);
    case 'gated, deaf':
      return untilOpen(execution, recorder);
    case 'stuck':
      return new Promise<void>(() => undefined);
    case 'throws':
      throw new Error('The job throws, as it was told to.');
    case 'blocks':
      return blockUntilFileExists(String(execution.params));
    case 'kills':
      process.kill(process.pid, 'SIGKILL');
  }
}

async function untilOpen(
  { scheduleName }: Execution,
  recorder: Recorder,
  signal?: AbortSignal,
): Promise<void> {
  while (!(await recorder.isGateOpen(scheduleName))) {
    await delay(20, undefined, { signal });
  }
}

function blockUntilFileExists(path: string): void {
  while (!existsSync(path)) {
    // Keeps a processor busy, as a computation does.
  }
}
