import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const TEST = join(import.meta.dirname, '../..');

/** The numbers of the scenarios in the list. */
function listed(): number[] {
  const list = readFileSync(join(TEST, 'cases/engine-scenarios.md'), 'utf8');
  return [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
}

/** The titles of every test. */
function titles(): string[] {
  return readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts'))
    .flatMap((path) => titlesOf(readFileSync(join(TEST, path), 'utf8')));
}

function titlesOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      found.push(...(title !== undefined && ts.isStringLiteralLike(title) ? [title.text] : []));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.spec.ts', source, ts.ScriptTarget.Latest));
  return found;
}

/** `it`, or what `it.each` returns. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isCallExpression(callee)) {
    const { expression } = callee;
    return (
      ts.isPropertyAccessExpression(expression) &&
      expression.name.text === 'each' &&
      isTest(expression.expression)
    );
  }
  return ts.isIdentifier(callee) && callee.text === 'it';
}

describe('the scenarios of the engine', () => {
  it('are forty-six, each named by the title of a test at least', () => {
    const named = new Set(
      titles().flatMap((title) =>
        [...title.matchAll(/\bscenario (\d+)\b/g)].map(([, number]) => Number(number)),
      ),
    );

    expect(listed()).toEqual(Array.from({ length: 46 }, (_, index) => index + 1));
    expect(listed().filter((number) => !named.has(number))).toEqual([]);
  });
});
