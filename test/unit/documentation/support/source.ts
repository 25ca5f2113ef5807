import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { PROJECT } from './page.js';

/** What a source file of the project exports, by name. */
export function exportsOf(path: string): readonly string[] {
  return sourceFile(path)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ exportClause }) =>
      exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [],
    )
    .map(({ name }) => name.text);
}

/** The public members of an interface or a class of a source file, by name. */
export function membersOf(path: string, name: string): readonly string[] {
  const declaration = sourceFile(path)
    .statements.filter((node) => ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))
    .find((node) => node.name?.text === name);
  if (declaration === undefined) {
    throw new Error(`${path} declares no ${name}.`);
  }
  return [...declaration.members].filter(isPublic).flatMap((member) => {
    return member.name !== undefined && ts.isIdentifier(member.name) ? [member.name.text] : [];
  });
}

/** The texts of which a type of a source file is the union. */
export function literalsOf(path: string, name: string): readonly string[] {
  const declaration = sourceFile(path)
    .statements.filter(ts.isTypeAliasDeclaration)
    .find((node) => node.name.text === name);
  if (declaration === undefined || !ts.isUnionTypeNode(declaration.type)) {
    throw new Error(`${path} declares no union ${name}.`);
  }
  return declaration.type.types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
}

function isPublic(member: ts.ClassElement | ts.TypeElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  return !modifiers.some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );
}

function sourceFile(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(`${PROJECT}${path}`, 'utf8'), ts.ScriptTarget.Latest);
}
