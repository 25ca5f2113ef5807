import type { JsonValue } from '../api/answers.js';

/** What a text of JSON is: nothing, a value, or no JSON with the reason. */
export type JsonInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'invalid'; readonly message: string };

export function readJson(text: string): JsonInput {
  if (text.trim() === '') {
    return { kind: 'none' };
  }
  try {
    return { kind: 'value', value: JSON.parse(text) as JsonValue };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'invalid', message: `This is no JSON: ${detail}` };
  }
}

export function writeJson(value: JsonValue | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
