import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

let lastUnixMs = 0;
let sequence = 0;

/**
 * Mints a UUIDv7 from the store's time, so that ids of runs sort in the order of their claims whatever the node's
 * clock says; ids minted by one node in the same millisecond sort in the order of their minting.
 */
export function mintId(storeNowUnixMs: number): string {
  if (storeNowUnixMs === lastUnixMs) {
    sequence += 1;
  } else {
    lastUnixMs = storeNowUnixMs;
    // Half of the range is left for increments.
    sequence = randomBytes(4).readUInt32BE() >>> 1;
  }
  return v7({ msecs: storeNowUnixMs, seq: sequence, random: nextEntropy() });
}

/** Drawn for many ids at once: asked for each alone, the system's entropy costs more than all the rest of a claim. */
const ENTROPY = new Uint8Array(256 * 16);
let entropyUsed = ENTROPY.length;

function nextEntropy(): Uint8Array {
  if (entropyUsed === ENTROPY.length) {
    randomFillSync(ENTROPY);
    entropyUsed = 0;
  }
  entropyUsed += 16;
  return ENTROPY.subarray(entropyUsed - 16, entropyUsed);
}

/** Sorts before every id that can be minted. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Sorts after every id that can be minted. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The last millisecond that fits into an id. */
const LAST_ID_MS = 0xff_ff_ff_ff_ff_ff;

/** The smallest id that can be minted at an instant: the bound of a time range over ids. */
export function smallestIdAt(unixMs: number): string {
  const hex = Math.min(Math.max(0, unixMs), LAST_ID_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Whether a text from outside can be an id at all. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text);
}
