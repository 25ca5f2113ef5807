import { Injectable } from '@nestjs/common';
import type { Actor } from '../../schedules/index.js';
import type { HttpRequest } from '../http/http-request.js';
import { ActorResolver } from './actor-resolver.js';

const ID_FIELDS = ['id', 'sub', 'userId', 'username'];
const NAME_FIELDS = ['name', 'displayName', 'username', 'email'];

/**
 * Takes the actor from `request.user`: its id from the first of `id`, `sub`, `userId`, `username`, its name from the
 * first of `name`, `displayName`, `username`, `email`. A user without any id is nobody.
 */
@Injectable()
export class UserActorResolver extends ActorResolver {
  override resolve({ user }: HttpRequest): Actor | undefined {
    const id = firstText(user, ID_FIELDS);
    const name = firstText(user, NAME_FIELDS);
    return id === undefined ? undefined : { id, ...(name === undefined ? {} : { name }) };
  }
}

function firstText(user: unknown, fields: readonly string[]): string | undefined {
  if (typeof user !== 'object' || user === null) {
    return undefined;
  }
  const value = fields.map((field): unknown => Reflect.get(user, field)).find(isIdentifying);
  return value === undefined ? undefined : String(value);
}

function isIdentifying(value: unknown): value is string | number | bigint {
  return (
    typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && value !== '')
  );
}
