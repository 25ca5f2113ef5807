/**
 * The key that every attempt of one occurrence shares: the schedule's id and the logical time. A handler that stores
 * it with its effect recognises a recovery of work that was already done.
 */
export function occurrenceKey(scheduleId: string, scheduledAtUnixMs: number): string {
  return `${scheduleId}:${scheduledAtUnixMs}`;
}
