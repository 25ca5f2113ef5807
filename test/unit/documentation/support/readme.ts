import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the project, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Of its first line of code. */
  readonly line: number;
}

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const README = readFileSync(`${PROJECT}README.md`, 'utf8');
const FENCED = /^( *)```(\w+)\n(.*?)^\1```$/gms;

/** The whole text. */
export function readmeText(): string {
  return README;
}

/** Every fenced block of a language. */
export function codeBlocks(language: string): readonly CodeBlock[] {
  return [...README.matchAll(FENCED)]
    .map(([, indentation = '', name = '', text = ''], index): CodeBlock & { readonly index: number } => ({
      index,
      language: name,
      text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
      line: lineOf(index) + 1,
    }))
    .filter((block) => block.language === language);
}

/** The text of headings as GitHub turns them into anchors. */
export function anchors(): readonly string[] {
  const headings = [...prose().matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text without its code blocks. */
export function prose(): string {
  return README.replaceAll(FENCED, '');
}

/**
 * The one table below a heading, before the next heading, that has these columns.
 *
 * @throws Error when there is none, or more than one.
 */
export function tableIn(heading: string, ...columns: readonly string[]): Table {
  const tables = tablesOf(section(heading)).filter(({ header }) =>
    columns.every((name) => header.includes(name)),
  );
  const [table] = tables;
  if (table === undefined || tables.length > 1) {
    throw new Error(`"${heading}" has ${tables.length} tables with the columns ${columns.join(', ')}.`);
  }
  return table;
}

/** A column's cells, from top to bottom. */
export function column(table: Table, name: string): readonly string[] {
  const index = table.header.indexOf(name);
  return table.rows.map((row) => row[index] ?? '');
}

/** What a cell says in code. */
export function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function section(heading: string): string {
  const sections = prose().split(/^#+ /m);
  return sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
}

function tablesOf(text: string): readonly Table[] {
  return [...text.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([lines]) => {
    const [header = [], , ...rows] = lines.trimEnd().split('\n').map(cellsOf);
    return { header, rows };
  });
}

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function lineOf(blockIndex: number): number {
  const match = [...README.matchAll(FENCED)][blockIndex];
  return README.slice(0, match?.index ?? 0).split('\n').length;
}
