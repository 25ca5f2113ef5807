import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file as a browser gets it. */
export interface ServedFile {
  readonly contentType: string;
  readonly text: string;
}

/** The built console. */
export interface ConsoleFiles {
  /** The page, with `./assets/…` for its files. */
  readonly page: string;
  /** Its files by name; a name contains a hash of the content. */
  readonly assets: ReadonlyMap<string, ServedFile>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/**
 * Reads the built console, all of it: it is small, and then served from memory.
 *
 * @throws Error where it is not built.
 */
export function readConsoleFiles(folder: string): ConsoleFiles {
  try {
    const assets = join(folder, 'assets');
    return {
      page: readFileSync(join(folder, 'index.html'), 'utf8'),
      assets: new Map(
        readdirSync(assets).flatMap((name): [string, ServedFile][] => {
          const contentType = CONTENT_TYPES[extname(name)];
          return contentType === undefined
            ? []
            : [[name, { contentType, text: readFileSync(join(assets, name), 'utf8') }]];
        }),
      ),
    };
  } catch (cause) {
    throw new Error(`The console is not built: ${folder} cannot be read. Run \`npm run build\`.`, { cause });
  }
}
