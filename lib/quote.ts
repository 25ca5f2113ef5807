// A leaf file, which every room may import.

/** What a message can bear of a text that may be anything. */
const LONGEST_QUOTE = 60;

/** A caller's text as it appears in a message: quoted, on one line, and cut where it has more than `longest` characters. */
export function quote(text: string, longest = LONGEST_QUOTE): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
