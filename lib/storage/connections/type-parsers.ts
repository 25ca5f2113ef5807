import { types, type CustomTypesConfig } from 'pg';

const { builtins } = types;

/**
 * How the store reads values from its own connections, whatever the host set process-wide: bigint columns are Unix
 * milliseconds and counts, which a JavaScript number holds exactly.
 */
export const ownTypeParsers: CustomTypesConfig = {
  getTypeParser: ((oid: number) => PARSERS.get(oid) ?? String) as CustomTypesConfig['getTypeParser'],
};

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.INT4, Number],
  [builtins.INT2, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text: string) => text === 't'],
]);
