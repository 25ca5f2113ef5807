import type { Actor } from '../../schedules/index.js';
import type { HttpRequest } from '../http/http-request.js';

/**
 * Tells who makes a request. Implement it where the application's authentication leaves something else than
 * `request.user`, and name the class in the option `management.actorResolver`.
 */
export abstract class ActorResolver {
  /**
   * An error lets nobody in: it is answered with 500, unless it is an `HttpException` of the application's. So is an id
   * that is not of 1 to 200 characters without control characters; a longer name is cut.
   *
   * @returns undefined when nobody is authenticated, which is answered with 401.
   */
  abstract resolve(request: HttpRequest): Actor | undefined | Promise<Actor | undefined>;
}
