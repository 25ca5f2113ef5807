import { quote } from '../../quote.js';
import { TriggerInvalidError } from '../trigger-invalid.error.js';
import type { CronField } from './cron-field.js';
import { adviceOnField } from './field-advice.js';

/** The error for an item of a field that cannot be read: field, what was found, what is allowed, what to write. */
export function fieldError(field: CronField, found: string, text: string): TriggerInvalidError {
  const where = found === text ? '' : ` in ${quote(text)}`;
  const advice = adviceOnField(field, found) ?? '';
  return new TriggerInvalidError(
    'expr_invalid',
    `The ${field.name} of the cron expression is ${quote(found)}${where}. ` +
      `${advice}${advice === '' ? '' : ' '}Allowed are ${field.allowed}; * for every value, lists (a,b), ranges (a-b) and steps (*/n, n up to ${field.size}).`,
  );
}
