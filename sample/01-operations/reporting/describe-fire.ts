import type { RunEvent } from 'nestjs-cron-store';

/** A fire as people speak of it: which schedule, which occurrence, and what is special about it. */
export function describeFire({ scheduleName, scheduledAtUnixMs, origin, attempt }: RunEvent): string {
  const time = new Date(scheduledAtUnixMs).toISOString();
  const regular = origin === 'schedule' ? '' : ` (${origin}${attempt > 1 ? `, attempt ${attempt}` : ''})`;
  return `${scheduleName} ${time}${regular}`;
}
