import { useEffect, useState } from 'preact/hooks';

/**
 * Where in the console one is: the part of the URL behind `#`, which no server needs to know, and which makes every
 * view something to bookmark and to send.
 */
export interface Route {
  /** Decoded segments: `#/schedules/nightly%20report` is `['schedules', 'nightly report']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

type QueryValues = Readonly<Record<string, string | number | undefined>>;

/** The link to a view. */
export function href(path: readonly string[], query: QueryValues = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a view. */
export function navigate(path: readonly string[], query: QueryValues = {}): void {
  location.hash = href(path, query);
}

/** Changes what a view is asked for, without an entry in the history: typing into a filter is no place to go back to. */
export function replaceQuery({ path, query }: Route, changes: QueryValues): void {
  history.replaceState(null, '', href(path, { ...Object.fromEntries(query), ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The current view. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}

function currentRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    path: path === '' ? [] : path.split('/').map(decoded),
    query: new URLSearchParams(search),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
