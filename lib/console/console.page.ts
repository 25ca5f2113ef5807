import type { ResolvedConsole } from './console.options.js';

/**
 * The page as it is served at the console's path. All its references are relative, so that it works behind whatever
 * prefix the application and its proxies have: the page's URL ends with the last segment of the path, not with a slash.
 *
 * @param apiPath of the management API, without slashes around it
 */
export function renderPage(page: string, { path, signInUrl = '' }: ResolvedConsole, apiPath: string): string {
  const segments = path.split('/');
  const toPrefix = '../'.repeat(segments.length - 1) || './';
  return page
    .replaceAll('./assets/', `./${segments.at(-1)}/assets/`)
    .replace('{{api}}', escaped(`${toPrefix}${apiPath}`))
    .replace('{{signIn}}', escaped(signInUrl));
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
