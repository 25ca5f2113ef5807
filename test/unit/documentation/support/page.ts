import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Table, tablesOf } from './table.js';

/** The folder of the project, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface CodeBlock {
  /** The path of its page. */
  readonly page: string;
  /** Empty where the fence names none. */
  readonly language: string;
  readonly text: string;
  /** Of its first line of code, in the page. */
  readonly line: number;
}

const FENCED = /^( *)```(\w*)\n(.*?)^\1```$/gms;

/** A Markdown file of the project. */
export class Page {
  readonly text: string;

  /** @param path from the folder of the project. */
  constructor(readonly path: string) {
    this.text = readFileSync(`${PROJECT}${path}`, 'utf8');
  }

  /** The text without its code blocks. */
  get prose(): string {
    return this.text.replaceAll(FENCED, '');
  }

  get codeBlocks(): readonly CodeBlock[] {
    return [...this.text.matchAll(FENCED)].map(
      ({ index, 1: indentation = '', 2: language = '', 3: text = '' }) => ({
        page: this.path,
        language,
        text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
        line: this.text.slice(0, index).split('\n').length + 1,
      }),
    );
  }

  /** The headings as GitHub turns them into anchors. */
  get anchors(): readonly string[] {
    return [...this.prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }

  /** Where its links and pictures lead, in the order of the text. */
  get links(): readonly string[] {
    const inline = [...this.prose.matchAll(/\]\(([^)\s]+)\)/g)];
    const definitions = [...this.prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
    return [...inline, ...definitions].map(([, target = '']) => target);
  }

  /** What it says in code within sentences and tables. */
  get inlineCode(): readonly string[] {
    return [...this.prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  }

  /** @returns the path of a file that a link leads to, from the folder of the project. */
  resolve(target: string): string {
    const [file = ''] = target.split('#');
    return file === '' ? this.path : posix.join(posix.dirname(this.path), file);
  }

  /**
   * The one table below a heading, before the next heading, that has these columns.
   *
   * @throws Error when there is none, or more than one.
   */
  tableIn(heading: string, ...columns: readonly string[]): Table {
    const tables = tablesOf(this.section(heading)).filter(({ header }) =>
      columns.every((name) => header.includes(name)),
    );
    const [table] = tables;
    if (table === undefined || tables.length > 1) {
      const found = `"${heading}" of ${this.path} has ${tables.length} tables`;
      throw new Error(`${found} with the columns ${columns.join(', ')}.`);
    }
    return table;
  }

  private section(heading: string): string {
    const sections = this.prose.split(/^#+ /m);
    return sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  }
}
