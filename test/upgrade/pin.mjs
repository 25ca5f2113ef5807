// `npm run upgrade:pin -- <ref>`: the test of the upgrade starts from this commit from now on.
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packRef } from './support/pack-ref.mjs';

const FOLDER = join(import.meta.dirname, 'previous');

const [ref, ...others] = process.argv.slice(2);
if (ref === undefined || others.length > 0) {
  console.error('Name one commit, as in `npm run upgrade:pin -- v1.2.3`.');
  process.exit(2);
}
const tarball = await packRef(ref, FOLDER);
for (const file of await readdir(FOLDER)) {
  if (file !== basename(tarball)) {
    await rm(join(FOLDER, file));
  }
}
console.log(`The previous version is ${basename(tarball)}.`);
