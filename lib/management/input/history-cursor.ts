import { parse, stringify, version } from 'uuid';
import { ScheduleInvalidError } from '../../schedules/index.js';

/** The cursor that a client gets for a place in the history of runs, and gives back to go on there. */
export function cursorOf(beforeId: string): string {
  return Buffer.from(parse(beforeId)).toString('base64url');
}

/**
 * The place that a cursor stands for.
 *
 * @throws ScheduleInvalidError for a text that no answer can have contained.
 */
export function placeOf(cursor: string): string {
  const id = idIn(cursor);
  if (id === undefined || cursorOf(id) !== cursor) {
    throw new ScheduleInvalidError(
      'params.cursor must be the nextCursor of an answer, unchanged; omit it to begin with the newest run.',
    );
  }
  return id;
}

function idIn(cursor: string): string | undefined {
  try {
    const id = stringify(Buffer.from(cursor, 'base64url'));
    return version(id) === 7 ? id : undefined;
  } catch {
    return undefined;
  }
}
