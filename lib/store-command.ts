// A leaf file, which every room may import.

/** What to type in a shell for a command of `cron-store` on the store of a schema. */
export function storeCommand(schema: string, ...words: readonly string[]): string {
  const ofSchema = schema === 'public' ? [] : ['--schema', schema];
  return ['npx', 'cron-store', ...ofSchema, ...words].map(quotedForShell).join(' ');
}

function quotedForShell(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
