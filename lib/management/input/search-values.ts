import { isStorableText, ScheduleInvalidError } from '../../schedules/index.js';

/**
 * Checks texts that are searched for.
 *
 * @throws ScheduleInvalidError for one that no text in the store can be equal to: it is a mistake, not an empty result.
 */
export function searchable<Search extends object>(search: Search): Search {
  for (const [field, value] of Object.entries(search)) {
    if (typeof value === 'string' && !isStorableText(value)) {
      throw new ScheduleInvalidError(`params.${field} contains NUL or a lone surrogate; remove it.`);
    }
  }
  return search;
}

/**
 * The word that was given, as one of those there are.
 *
 * @throws ScheduleInvalidError when there is no such word.
 */
export function oneOf<Word extends string, Field extends string>(
  field: Field,
  given: string | undefined,
  words: readonly Word[],
): { readonly [Name in Field]?: Word } {
  const word = words.find((candidate) => candidate === given);
  if (given !== undefined && word === undefined) {
    throw new ScheduleInvalidError(`params.${field} must be one of ${words.join(', ')}.`);
  }
  return word === undefined ? {} : ({ [field]: word } as { readonly [Name in Field]: Word });
}
