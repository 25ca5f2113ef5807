import { MalformedRequestError } from '../management.errors.js';
import { headerOf, type HttpRequest } from './http-request.js';

/**
 * The body of a request, as the adapter parsed it. It is taken from the request itself, before any pipe of the
 * application could strip or convert fields.
 *
 * A form of a foreign page can send every media type but JSON without being asked first, so that only JSON counts.
 *
 * @throws MalformedRequestError for any other media type, also where the body is empty.
 */
export function jsonBodyOf(request: HttpRequest): unknown {
  const mediaType = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new MalformedRequestError('Send JSON, with the header `content-type: application/json`.');
  }
  return request.body ?? {};
}
