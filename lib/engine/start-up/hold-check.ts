import type { Hold } from '../../schedules/index.js';
import type { Storage } from '../../storage/index.js';
import { storeCommand } from '../../store-command.js';
import type { StoreLogger } from '../../store-logger.js';

/** Says so where the whole store is held: a node that fires nothing looks like one that works. */
export async function warnOfHold(storage: Storage, logger: StoreLogger): Promise<void> {
  const holds = await storage.connections.transaction('manager', (transaction) =>
    storage.holds.list(transaction),
  );
  const hold = holds.find(({ jobName }) => jobName === undefined);
  if (hold !== undefined) {
    logger.warn(`Everything is held ${termsOf(hold, storeCommand(storage.schema.name, 'release'))}.`);
  }
}

function termsOf({ heldAtUnixMs, untilUnixMs, note }: Hold, command: string): string {
  const since = `since ${timeOf(heldAtUnixMs)}${note === undefined ? '' : ` (${JSON.stringify(note)})`}`;
  const end = untilUnixMs === undefined ? '' : `${timeOf(untilUnixMs)}, or until `;
  return `${since}: nothing fires until ${end}it is released, with \`${command}\``;
}

function timeOf(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
