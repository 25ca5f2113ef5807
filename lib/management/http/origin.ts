import { headerOf, type HttpRequest } from './http-request.js';

/**
 * Whether a page of another site makes the browser send this request, with whatever cookies it holds for us. Browsers
 * say so themselves (`Sec-Fetch-Site`), older ones by `Origin`; a request with neither does not come from a page.
 *
 * @param trustedOrigins origins whose pages may.
 */
export function isCrossSite(request: HttpRequest, trustedOrigins: readonly string[]): boolean {
  const origin = headerOf(request, 'origin');
  if (origin !== undefined && trustedOrigins.includes(origin)) {
    return false;
  }
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined) {
    return site !== 'same-origin' && site !== 'none';
  }
  return origin !== undefined && hostOf(origin) !== headerOf(request, 'host')?.toLowerCase();
}

/** The host with its port. Opaque origins (`null`) have none. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
