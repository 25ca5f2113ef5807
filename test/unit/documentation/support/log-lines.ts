import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { PROJECT } from './page.js';

/** A line that the sources of the package write to the log. */
export interface LogLine {
  readonly level: string;
  /** Its sentence, with `…` for what differs; the name of a constant that holds it. */
  readonly line: string;
}

/** What has another output than the log. */
const ELSEWHERE = /^(?:cli|console|testing)\/|^store-logger\.ts$/;

/** Every line, in the order of the files. */
export function logLines(): readonly LogLine[] {
  return readdirSync(`${PROJECT}lib`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !ELSEWHERE.test(path))
    .flatMap((path) => linesIn(`${PROJECT}lib/${path}`));
}

function linesIn(path: string): readonly LogLine[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const lines: LogLine[] = [];
  const visit = (node: ts.Node): void => {
    const [sentence] = ts.isCallExpression(node) ? node.arguments : [];
    const called = ts.isCallExpression(node) ? node.expression.getText() : '';
    const [, level] = /(?:^|\.)logger\.(debug|log|warn|error)$/.exec(called) ?? [];
    if (level !== undefined && sentence !== undefined) {
      lines.push({ level, line: textOf(sentence) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  return ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
    : node.getText();
}
