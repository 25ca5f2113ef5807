import type { RequestFacts } from '../../schedules/index.js';

/** What the management API needs of a request; those of Express and of Fastify both have it. */
export interface HttpRequest {
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed body. */
  readonly body?: unknown;
  /** The address of the client, behind a proxy as far as the adapter is told to trust it. */
  readonly ip?: unknown;
  /** The id that the adapter or a logger gave to the request. */
  readonly id?: unknown;
  /** Whom the application's authentication found. */
  readonly user?: unknown;
}

/** A header's value; of one that is repeated, the first. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The facts of a request that enter the audit trail. */
export function requestFactsOf(request: HttpRequest): RequestFacts {
  const requestId = headerOf(request, 'x-request-id') ?? textOf(request.id);
  const ip = textOf(request.ip);
  const userAgent = headerOf(request, 'user-agent');
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(ip === undefined ? {} : { ip }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
