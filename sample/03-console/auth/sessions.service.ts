import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { type User, USERS } from './users.js';

const LIFETIME = '30 minutes';

/** Who is signed in: rows, so that every process of the application knows them, and that a job cleans up. */
@Injectable()
export class SessionsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns the token of a new session. */
  async open(user: User): Promise<string> {
    const token = randomBytes(24).toString('base64url');
    await this.dataSource.query(
      `insert into sign_in_session (token, user_id, expires_at) values ($1, $2, now() + $3::interval)`,
      [token, user.id, LIFETIME],
    );
    return token;
  }

  async userOf(token: string): Promise<User | undefined> {
    const [session]: readonly { readonly user_id: string }[] = await this.dataSource.query(
      'select user_id from sign_in_session where token = $1 and expires_at > now()',
      [token],
    );
    return USERS.find(({ id }) => id === session?.user_id);
  }

  async close(token: string): Promise<void> {
    await this.dataSource.query('delete from sign_in_session where token = $1', [token]);
  }

  /** @returns how many were deleted. */
  async deleteExpired(): Promise<number> {
    const rows: readonly unknown[] = await this.dataSource.query(
      'with gone as (delete from sign_in_session where expires_at <= now() returning 1) select * from gone',
    );
    return rows.length;
  }
}
