// A leaf file, which every room may import.

/**
 * Every word of a union, in the order in which they are written here. Words are keys, so that the compiler refuses a list
 * that forgets one, or has one of its own: a word that the list of a filter lacked would be refused as unknown.
 */
export function everyWordOf<Word extends string>(words: Readonly<Record<Word, true>>): readonly Word[] {
  return Object.keys(words) as Word[];
}
