import { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { connectionOptionsOf, threadOptionsOf } from '../../../lib/storage/connections/connection-options.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

function connectionOptions(options: Omit<PostgresOptions, 'type'>) {
  return connectionOptionsOf(new DataSource({ type: 'postgres', ...options }));
}

describe('the options of a connection that another thread opens', () => {
  it('reach the same server by the same means, and can be handed over', async () => {
    const options = connectionOptions({
      host: 'db.internal',
      port: 6432,
      username: 'app',
      password: 'secret',
      database: 'orders',
      applicationName: 'orders-worker',
      ssl: { ca: Buffer.from('an authority'), rejectUnauthorized: true },
      connectTimeoutMS: 3_000,
    });
    const { types: _, ...all } = options;

    expect(structuredClone(await threadOptionsOf(options))).toMatchObject({
      ...all,
      ssl: { ca: Uint8Array.from(Buffer.from('an authority')), rejectUnauthorized: true },
    });
  });

  it.each([
    ['a function', () => 'token 1'],
    ['an asynchronous function', async () => 'token 1'],
  ])('carry the password that %s supplies', async (_, password) => {
    expect(await threadOptionsOf(connectionOptions({ password }))).toMatchObject({ password: 'token 1' });
  });

  it('carry the password that is valid when they are asked for', async () => {
    let calls = 0;
    const options = connectionOptions({ extra: { password: async () => `token ${++calls}` } });

    expect((await threadOptionsOf(options)).password).toBe('token 1');
    expect((await threadOptionsOf(options)).password).toBe('token 2');
  });

  it('cannot be told while the password cannot', async () => {
    const options = connectionOptions({ password: () => Promise.reject(new Error('The vault is sealed.')) });

    await expect(threadOptionsOf(options)).rejects.toThrow('The vault is sealed.');
  });

  it('carry the key of a client certificate, which pools hide from whoever copies options', async () => {
    const options = connectionOptions({ ssl: { cert: 'a certificate', key: 'a private key' } });
    await new Pool(options).end();

    expect(structuredClone(await threadOptionsOf(options)).ssl).toEqual({
      cert: 'a certificate',
      key: 'a private key',
    });
  });

  it.each<[string, Omit<PostgresOptions, 'type'>]>([
    ['a stream of its own', { extra: { stream: () => undefined } }],
    ['its own check of the server', { extra: { ssl: { checkServerIdentity: () => undefined } } }],
  ])('cannot be handed over with %s', async (_, options) => {
    const forThread = await threadOptionsOf(connectionOptions(options));

    expect(() => structuredClone(forThread)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  });
});
