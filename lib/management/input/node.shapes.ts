import { flag, text, type Shape } from './field.js';

/** Which nodes to find. */
export const nodeSearchShape = {
  isAlive: flag({ description: 'Whether its last heartbeat is recent.' }),
  jobName: text({ description: 'A job that it registers, exactly.', example: 'daily-report' }),
  host: text({ description: 'The host, exactly.' }),
} satisfies Shape;
