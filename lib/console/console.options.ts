import type { ManagementExtras } from '../management/index.js';
import { CronStoreOptionsError } from '../options/index.js';

/** The web console. It shapes the module, so that it is given beside `useFactory` and not by it. */
export interface ConsoleOptions {
  /**
   * Path of the console below the application's global prefix: its one page is at the path itself, its files are at
   * `<path>/assets/…`. Default `'cron'`.
   */
  readonly path?: string | undefined;
  /**
   * The application's own page to sign in at, to which the console links when the API answers 401: a path such as
   * `/login`, or a URL. Default none: the console asks for a bearer token, which it keeps until its tab is closed.
   */
  readonly signInUrl?: string | undefined;
  /**
   * Decorators for the console's controller: the one by which a global guard of the application lets everybody pass,
   * such as `Public()`, where otherwise the page could not be opened to sign in on. It holds no data: all of that comes
   * from the management API, behind its guards. Default none.
   */
  readonly decorators?: readonly ClassDecorator[] | undefined;
}

/** What is given to the module itself about the console. */
export interface ConsoleExtras {
  /** `true` or its options mount it; it works by the management API. Default: not mounted. */
  readonly console?: boolean | ConsoleOptions | undefined;
}

/** The options, complete. */
export interface ResolvedConsole {
  /** Without slashes around it, and not empty. */
  readonly path: string;
  readonly signInUrl: string | undefined;
  readonly decorators: readonly ClassDecorator[];
}

const OPTION_NAMES = ['path', 'signInUrl', 'decorators'];

/**
 * Checks the options and fills in the defaults.
 *
 * @returns undefined where the console is not wanted.
 * @throws CronStoreOptionsError with every fault.
 */
export function resolveConsole({
  console: given = false,
  management,
}: ConsoleExtras & ManagementExtras): ResolvedConsole | undefined {
  if (given === false) {
    return undefined;
  }
  const options = given === true ? {} : given;
  const faults = faultsOf(options);
  if (management === false) {
    faults.push('console works by the management API: mount that too, instead of `management: false`.');
  }
  if (faults.length > 0) {
    throw new CronStoreOptionsError(faults);
  }
  return {
    path: trimmed(options.path ?? 'cron'),
    signInUrl: options.signInUrl,
    decorators: options.decorators ?? [],
  };
}

function faultsOf(options: unknown): string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return ['console must be true, false or an object.'];
  }
  const given = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  const unknown = [...given.keys()].filter((name) => !OPTION_NAMES.includes(name));
  return [
    ...unknown.map((name) => `console.${name} is not an option; the options are ${OPTION_NAMES.join(', ')}.`),
    ...RULES.flatMap(({ name, accepts, expected }) =>
      !given.has(name) || accepts(given.get(name)) ? [] : [`console.${name} must be ${expected}.`],
    ),
  ];
}

const RULES: readonly { name: string; expected: string; accepts: (value: unknown) => boolean }[] = [
  {
    name: 'path',
    expected: "a path of letters, digits, '-', '_', '.', '~' and '/' that is not empty, such as 'cron'",
    accepts: (value) => typeof value === 'string' && /^[\w\-.~/]*$/.test(value) && trimmed(value) !== '',
  },
  {
    name: 'signInUrl',
    expected: "a path such as '/login', or an http or https URL",
    accepts: (value) => typeof value === 'string' && /^(\/(?!\/)|https?:\/\/)/.test(value),
  },
  {
    name: 'decorators',
    expected: 'an array of class decorators',
    accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'function'),
  },
];

function trimmed(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, '');
}
