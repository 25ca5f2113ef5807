import { storeCommand } from '../../lib/store-command.js';

it.each([
  ['public', ['migrate', 'up'], 'npx cron-store migrate up'],
  ['billing', ['release'], 'npx cron-store --schema billing release'],
  ['Another one', ['migrate', 'up'], "npx cron-store --schema 'Another one' migrate up"],
  [
    'public',
    ['take-over', '--environment', "d'accord"],
    String.raw`npx cron-store take-over --environment 'd'\''accord'`,
  ],
])('of the schema %p types %p as %s', (schema, words, command) => {
  expect(storeCommand(schema, ...words)).toBe(command);
});
