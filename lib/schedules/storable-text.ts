/** PostgreSQL refuses NUL in a text, and a lone surrogate would reach it as another character. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
