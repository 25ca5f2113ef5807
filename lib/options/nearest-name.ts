import { editDistance } from '../edit-distance.js';

/** The name that somebody meant who wrote `written`: at most two typing mistakes away; undefined when none is. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, distance: editDistance(letters(written), letters(name)) }));
  distances.sort((one, other) => one.distance - other.distance);
  const [nearest] = distances;
  return nearest !== undefined && nearest.distance <= 2 ? nearest.name : undefined;
}

/** Spelling without case and punctuation, so that `poll_interval` and `pollinterval` are `pollInterval`. */
function letters(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .slice(0, 64);
}
