import { quote } from '../quote.js';

/** A value of any type as it appears in a message. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}
