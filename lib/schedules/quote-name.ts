import { quote } from '../quote.js';

/** Twice the longest name: outside of the basic plane a character takes two units. */
const LONGEST_NAME = 256;

/** A name as it appears in a message: in full where it can be one. */
export function quoteName(name: string): string {
  return quote(name, LONGEST_NAME);
}
