import { readFile } from 'node:fs/promises';
import type { Database } from './database.js';
import type { Figures } from './row.js';

/** Ticks of a second in which Linux counts the time of processes. */
const TICKS_PER_SECOND = 100;

/** What the server has done so far. */
export interface ServerUsage {
  readonly walBytes: number;
  /** By process; empty where the system does not tell. */
  readonly cpuMs: ReadonlyMap<number, number>;
}

/** What a statement has cost, all its executions together. */
export interface StatementUsage {
  readonly text: string;
  readonly calls: number;
  readonly ms: number;
  /** Pages that were looked at, in memory or not. */
  readonly pages: number;
  readonly figures: Figures;
}

export async function serverUsage(database: Database): Promise<ServerUsage> {
  const walBytes = await database.value<string>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as value`,
  );
  const processes = await database.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  const cpuMs = await Promise.all(processes.map(async ({ pid }) => [pid, await processorMsOf(pid)] as const));
  return { walBytes: Number(walBytes), cpuMs: new Map(cpuMs) };
}

/** The time that the server's processes have computed between two moments. */
export function cpuMsBetween(before: ServerUsage, after: ServerUsage): number {
  return [...after.cpuMs].reduce((sum, [pid, cpuMs]) => sum + cpuMs - (before.cpuMs.get(pid) ?? 0), 0);
}

/** Forgets what the statements on a database have cost so far. */
export async function resetStatements(database: Database): Promise<void> {
  await database.query(
    'select pg_stat_statements_reset(0, oid, 0) from pg_database where datname = current_database()',
  );
}

/** Every statement since the reset on this database but the benchmark's own, the most expensive first. */
export async function statementUsages(database: Database): Promise<readonly StatementUsage[]> {
  const rows = await database.query<Record<string, string> & { query: string }>(
    `select query, calls::text, (total_exec_time + total_plan_time)::text as ms, rows::text, wal_bytes::text,
       (shared_blks_hit + shared_blks_read)::text as pages
     from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
       and query !~ 'pg_stat_|pg_wal_lsn'
     order by total_exec_time desc`,
  );
  return rows.map(({ query, calls, ms, rows: rowCount, wal_bytes: walBytes, pages }) => ({
    text: query.replaceAll(/\s+/g, ' ').trim(),
    calls: Number(calls),
    ms: Number(ms),
    pages: Number(pages),
    figures: {
      calls: Number(calls),
      'ms in all': Number(ms),
      'ms/call': Number(ms) / Number(calls),
      rows: Number(rowCount),
      'WAL bytes': Number(walBytes),
      'pages read': Number(pages),
    },
  }));
}

/** The statements of a pass, by what only each of them contains. */
export const STATEMENTS = {
  lock: 'on_time',
  write: 'insert into "public".crn_run',
  outcomes: 'outcome.finished',
  agenda: 'as next_resume',
  retention: 'is_doomed',
};

/** What the statements that contain a text have cost, all together; not a number where there were none. */
export function costOf(
  usages: readonly StatementUsage[],
  marker: string,
): { readonly ms: number; readonly calls: number } {
  const matching = usages.filter(({ text }) => text.includes(marker));
  const sum = (valueOf: (usage: StatementUsage) => number) =>
    matching.reduce((total, usage) => total + valueOf(usage), matching.length === 0 ? Number.NaN : 0);
  return { ms: sum(({ ms }) => ms), calls: sum(({ calls }) => calls) };
}

async function processorMsOf(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
