import { readdirSync, readFileSync } from 'node:fs';
import { page } from './support/manual.js';
import { PROJECT } from './support/page.js';

const FOLDER = `${PROJECT}test/integration/testing/guide`;

it.each(readdirSync(FOLDER))('shows %s as it is run', (file) => {
  const shown = page('testing').codeBlocks.find(({ text }) => text.startsWith(`// ${file}\n`));
  expect(shown?.text).toBe(`// ${file}\n${readFileSync(`${FOLDER}/${file}`, 'utf8')}`);
});

it('tests a handler, a misfire, an overlap and a crash in less than 60 lines', () => {
  const lines = readFileSync(`${FOLDER}/invoices.spec.ts`, 'utf8').split('\n');
  expect(lines.length).toBeLessThan(60);
});
