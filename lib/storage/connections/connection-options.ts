import type { ClientConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { definedFields } from '../../schedules/index.js';
import { ownTypeParsers } from './type-parsers.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** What of a data source's `extra` says how to reach and address the server. Pool sizes and timeouts stay the host's. */
const EXTRA_CONNECTION_OPTIONS = [
  'connectionString',
  'host',
  'port',
  'user',
  'password',
  'database',
  'ssl',
  'stream',
  'options',
  'application_name',
  'client_encoding',
  'enableChannelBinding',
] as const;

/**
 * The options with which the store opens connections of its own to the data source's (primary) server: an explicit
 * list, so that nothing else of the host's (`synchronize`, subscribers, pool sizes, statement timeouts) comes along.
 * The store's own type parsers go with them, because the host's `parseInt8` changes every pool of the process.
 *
 * @throws Error when the data source is not a PostgreSQL one.
 */
export function connectionOptionsOf(dataSource: DataSource): ClientConfig {
  const options = postgresOptionsOf(dataSource);
  const credentials = options.replication?.master ?? options;
  const connection: Readonly<Record<string, unknown>> = {
    connectionString: credentials.url,
    host: credentials.host,
    port: credentials.port,
    user: credentials.username,
    password: credentials.password,
    database: credentials.database,
    ssl: credentials.ssl,
    application_name: options.applicationName ?? credentials.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMS ?? 10_000,
    ...connectionExtraOf(options),
    keepAlive: true,
    types: ownTypeParsers,
  };
  // What is undefined would override a default.
  return definedFields(connection);
}

/**
 * The same for a connection that another thread opens. No function can be handed over: a password that one supplies is
 * resolved here, which may take a while and may fail, and has to be resolved again for the next connection.
 */
export async function threadOptionsOf(options: ClientConfig): Promise<ClientConfig> {
  const { types: _, password, ssl, ...others } = options;
  return {
    ...others,
    ...definedFields({
      password: typeof password === 'function' ? await password() : password,
      // pg hides the key from whoever copies what can be enumerated.
      ssl: typeof ssl === 'object' && ssl.key !== undefined ? { ...ssl, key: ssl.key } : ssl,
    }),
  };
}

function connectionExtraOf(options: PostgresOptions): Readonly<Record<string, unknown>> {
  const extra: Readonly<Record<string, unknown>> = options.extra ?? {};
  return definedFields(Object.fromEntries(EXTRA_CONNECTION_OPTIONS.map((key) => [key, extra[key]])));
}

function postgresOptionsOf(dataSource: DataSource): PostgresOptions {
  if (dataSource.options.type !== 'postgres') {
    throw new Error(
      `CronStoreModule needs a PostgreSQL data source, and this one is of type ${JSON.stringify(dataSource.options.type)}. Name another one with the option \`dataSource\`.`,
    );
  }
  return dataSource.options;
}
