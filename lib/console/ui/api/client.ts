import { session } from './session.js';

/** An answer of the management API that is not a success. */
export class ApiError extends Error {
  /**
   * @param code of the answer: 2703 is the trigger's fault, 1000 nobody is signed in
   * @param message a sentence that says what to change
   */
  constructor(
    readonly code: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
  }
}

export const NOT_SIGNED_IN = 1000;

export interface CallOptions {
  readonly meta?: object;
  readonly signal?: AbortSignal;
}

/** Ends with a slash where the API is at the prefix of the application itself. */
const API_PATH = document.querySelector<HTMLMetaElement>('meta[name="cron-store:api"]')?.content ?? '';
const BASE = API_PATH.replace(/\/+$/, '');

/**
 * Calls an action of the management API, such as `schedule/find_page`, as whoever is signed in: by the cookies of the
 * application's own origin, and by the token where one was given.
 *
 * @throws ApiError for whatever is not a success, with a sentence for people.
 */
export async function call<Data>(
  action: string,
  params: object = {},
  { meta, signal }: CallOptions = {},
): Promise<Data> {
  const response = await fetch(`${BASE}/sys/cron/${action}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', ...session.headers() },
    body: JSON.stringify(meta === undefined ? { params } : { params, meta }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new ApiError(
      0,
      'The server cannot be reached. Check the connection; the console tries again by itself.',
      {
        cause,
      },
    );
  });
  return dataOf<Data>(response);
}

async function dataOf<Data>(response: Response): Promise<Data> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isAnswer(body) && body.code === 0) {
    return body.data as Data;
  }
  const code = isAnswer(body) ? body.code : response.status === 401 ? NOT_SIGNED_IN : 0;
  if (code === NOT_SIGNED_IN) {
    session.end();
  }
  throw new ApiError(code, isAnswer(body) ? body.message : `The server answered ${response.status}.`);
}

interface Answer {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

function isAnswer(body: unknown): body is Answer {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
