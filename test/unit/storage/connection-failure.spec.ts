import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isConnectionFailure } from '../../../lib/storage/index.js';

function systemError(code: string, more: object = {}): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code, ...more });
}

function databaseError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('what the server says', 0, 'error'), { code });
}

describe('isConnectionFailure', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])('is %s of the system', (code) => {
    expect(isConnectionFailure(systemError(code))).toBe(true);
  });

  it('is several of them, one for each address', () => {
    const errors = [systemError('ECONNREFUSED'), systemError('ECONNREFUSED')];
    const error = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
    expect(isConnectionFailure(error)).toBe(true);
  });

  it('is a missing socket, and no other missing file', () => {
    expect(isConnectionFailure(systemError('ENOENT', { syscall: 'connect' }))).toBe(true);
    expect(isConnectionFailure(systemError('ENOENT', { syscall: 'open' }))).toBe(false);
  });

  it.each(['57P01', '57P02', '57P03', '53300', '08000', '08006'])('is %s of the server', (code) => {
    expect(isConnectionFailure(databaseError(code))).toBe(true);
    expect(isConnectionFailure(new QueryFailedError('select 1', [], databaseError(code)))).toBe(true);
  });

  it('is a query runner whose connection was lost before', () => {
    expect(isConnectionFailure(new QueryRunnerAlreadyReleasedError())).toBe(true);
  });

  it.each([
    ['a refused password', databaseError('28P01')],
    ['a refused user', databaseError('28000')],
    ['a missing database', databaseError('3D000')],
    ['a missing table', databaseError('42P01')],
    ['a missing right', databaseError('42501')],
    ['a violated key', databaseError('23505')],
    ['a lock that was not had', databaseError('55P03')],
    ['a statement that took too long', databaseError('57014')],
    ['a database that is gone for good', databaseError('57P04')],
    ['a certificate that is not trusted', systemError('SELF_SIGNED_CERT_IN_CHAIN')],
    ['an error of anybody else', new Error('Connection terminated by my own code')],
    ['no error at all', 'ECONNREFUSED'],
  ])('is not %s', (_, error) => {
    expect(isConnectionFailure(error)).toBe(false);
  });
});
