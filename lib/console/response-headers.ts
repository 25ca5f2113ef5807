/**
 * What a browser may do with the page: run and style by its own files alone, and talk to its own origin. Texts of
 * schedules and errors can therefore not become code, whatever they contain.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const COMMON = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'same-origin' };

/** Headers of the page, which names the files of this version and must not be kept. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
};

/** Headers of a file, whose name changes with its content. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Cache-Control': 'public, max-age=31536000, immutable',
};
