import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../previous');

/** The tarball of the version from which is upgraded: the one in `UPGRADE_FROM`, or else the pinned one. */
export async function previousTarball(): Promise<string> {
  const given = process.env['UPGRADE_FROM'];
  if (given) {
    return given;
  }
  const [pinned, ...others] = (await readdir(FOLDER)).filter((file) => file.endsWith('.tgz'));
  if (pinned === undefined || others.length > 0) {
    throw new Error(
      `There must be one tarball in ${FOLDER}: pin a version with \`npm run upgrade:pin -- <ref>\`.`,
    );
  }
  return join(FOLDER, pinned);
}
