import { BoundedCache } from '../bounded-cache.js';
import { quote } from '../../quote.js';
import { TriggerInvalidError } from '../trigger-invalid.error.js';
import type { CronExpression } from './cron-expression.js';
import { descriptorFields, isDescriptor, unknownDescriptorMessage } from './descriptors.js';
import { isEveryExpression, parseEvery } from './every.parser.js';
import { parseFields } from './fields.parser.js';

/** Longer than any expression with a meaning of its own: a list of every second, minute and hour has 400 characters. */
const LONGEST_EXPRESSION = 1024;
const PREFIX = /^(?:CRON_TZ|TZ)=(\S*)\s*/;
const CACHED_EXPRESSIONS = 512;

const expressions = new BoundedCache<string, CronExpression>(CACHED_EXPRESSIONS);

/** {@link parseExpression}, remembered: rows are read again and again. */
export function expressionOf(expr: string): CronExpression {
  return expressions.getOrCreate(expr, parseExpression);
}

/**
 * Reads a cron expression: five fields, six with leading seconds, a descriptor, or `@every`, with any white space
 * between and around, and names in any case.
 *
 * @throws TriggerInvalidError with a message that names the field, what was found and what is allowed
 */
export function parseExpression(expr: string): CronExpression {
  if (expr.length > LONGEST_EXPRESSION) {
    throw new TriggerInvalidError(
      'expr_invalid',
      `The cron expression has ${expr.length} characters; the longest allowed has ${LONGEST_EXPRESSION}.`,
    );
  }
  const trimmed = expr.trim();
  const prefix = PREFIX.exec(trimmed);
  const body = prefix === null ? trimmed : trimmed.slice(prefix[0].length);
  if (body === '') throw new TriggerInvalidError('expr_required', emptyMessage(prefix?.[0]));
  if (isEveryExpression(body)) return everyWithout(prefix, body);
  return { ...parseBody(body), zonePrefix: prefix?.[1] };
}

function parseBody(body: string): Omit<Extract<CronExpression, { kind: 'calendar' }>, 'zonePrefix'> {
  if (!isDescriptor(body)) return { kind: 'calendar', ...parseFields(body) };
  const fields = descriptorFields(body);
  if (fields === undefined) throw new TriggerInvalidError('expr_invalid', unknownDescriptorMessage(body));
  return { kind: 'calendar', ...parseFields(fields), text: body.toLowerCase() };
}

function everyWithout(prefix: RegExpExecArray | null, body: string): CronExpression {
  if (prefix === null) return parseEvery(body);
  throw new TriggerInvalidError(
    'fields_conflict',
    `${quote(body)} is aligned to the epoch in UTC and takes no zone: remove the prefix ${quote(prefix[0].trim())}.`,
  );
}

function emptyMessage(prefix: string | undefined): string {
  const where = prefix === undefined ? 'is empty' : `has nothing after ${quote(prefix)}`;
  return `The cron expression ${where}: write five fields (minute, hour, day of month, month, day of week), such as "0 2 * * *".`;
}
