import { dirname } from 'node:path';
import ts from 'typescript';
import { type CodeBlock, PROJECT } from './page.js';

/** What a snippet without imports takes for granted; the pages say so. */
const GIVEN = `
import { cron, CronStoreEngine, CronStoreModule, type DefaultSchedule, type ScheduleManager } from 'nestjs-cron-store';
import type { CanActivate, INestApplication } from '@nestjs/common';
import type { DataSource } from 'typeorm';
declare const schedules: ScheduleManager;
declare const engine: CronStoreEngine;
declare const dataSource: DataSource;
declare const app: INestApplication;
declare class AuthModule {}
declare class JwtAuthGuard implements CanActivate { canActivate(): boolean }
`;

/**
 * Checks blocks of TypeScript, each as a module of the project that imports the package from its sources.
 *
 * @returns one sentence for each fault.
 */
export function faultsIn(blocks: readonly CodeBlock[]): readonly string[] {
  const modules = new Map(blocks.map((block) => [fileOf(block), sourceOf(block)]));
  const options = compilerOptions();
  const program = ts.createProgram([...modules.keys()], options, hostWith(modules, options));
  return [...modules.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

/** A block that begins with the name of a file is that file to the others of its page. */
function fileOf({ page, text, line }: CodeBlock): string {
  return `${PROJECT}${page}/${/^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `line-${line}.ts`}`;
}

function sourceOf({ text }: CodeBlock): string {
  return /^import /m.test(text) ? text : `${GIVEN}${text}`;
}

/** The project's own, but that a snippet may show a value without using it. */
function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${PROJECT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, PROJECT);
  return {
    ...options,
    types: ['node', 'jest'],
    noEmit: true,
    noUnusedLocals: false,
    paths: {
      'nestjs-cron-store': [`${PROJECT}lib/index.ts`],
      'nestjs-cron-store/health': [`${PROJECT}lib/health/index.ts`],
      'nestjs-cron-store/health/terminus': [`${PROJECT}lib/health/terminus.ts`],
      'nestjs-cron-store/testing': [`${PROJECT}lib/testing/index.ts`],
    },
  };
}

function hostWith(modules: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { fileExists, directoryExists, readFile, getSourceFile } = host;
  const folders = new Set([...modules.keys()].map((file) => dirname(file)));
  return {
    ...host,
    fileExists: (file) => modules.has(file) || fileExists(file),
    directoryExists: (folder) => folders.has(folder) || directoryExists?.(folder) === true,
    readFile: (file) => modules.get(file) ?? readFile(file),
    getSourceFile: (file, language) => {
      const text = modules.get(file);
      return text === undefined ? getSourceFile(file, language) : ts.createSourceFile(file, text, language);
    },
  };
}
