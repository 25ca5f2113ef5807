import { Injectable } from '@nestjs/common';
import type { Actor } from '../../schedules/index.js';
import type { HttpRequest } from '../http/http-request.js';
import { ActorResolver } from './actor-resolver.js';

const MAX_LENGTH = 200;

/** Finds out who makes a request, as the store can keep it. */
@Injectable()
export class Authentication {
  constructor(private readonly resolver: ActorResolver) {}

  /**
   * @returns undefined for nobody.
   * @throws Error for an id that cannot be kept: two actors must not become the same one.
   */
  async actorOf(request: HttpRequest): Promise<Actor | undefined> {
    const actor: Actor | null | undefined = await this.resolver.resolve(request);
    if (actor === undefined || actor === null) {
      return undefined;
    }
    const { id, name } = actor;
    if (typeof id !== 'string' || cleaned(id) !== id || id === '') {
      throw new Error(
        `ActorResolver gave an id that is no string of 1 to ${MAX_LENGTH} characters without control characters.`,
      );
    }
    const kept = typeof name === 'string' ? cleaned(name) : '';
    return { id, ...(kept === '' ? {} : { name: kept }) };
  }
}

function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, MAX_LENGTH);
}
