import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import { CronStoreOptionsError } from '../options/index.js';
import { ActorResolver } from './access/actor-resolver.js';
import { PermissionChecker } from './access/permission-checker.js';

/** The management API over HTTP. It shapes the module, so that it is given beside `useFactory` and not by it. */
export interface ManagementOptions {
  /**
   * Path of the API below the application's global prefix; the actions are at `<path>/sys/cron/…` and the envelope at
   * `<path>` itself. Give `''` where the global prefix is `api` already. Default `'api'`.
   */
  readonly path?: string | undefined;
  /**
   * Guards of the application that run first, to authenticate: usually the one that sets `request.user`. What they
   * inject comes from `imports` or from global modules. Default none: the application has a global guard, or nobody is
   * let in.
   */
  readonly guards?: readonly (Type<CanActivate> | CanActivate)[] | undefined;
  /** Decides who may do what. Default: what `request.user.permissions` contains. */
  readonly permissionChecker?: Type<PermissionChecker> | undefined;
  /** Tells who makes a request. Default: from `request.user`. */
  readonly actorResolver?: Type<ActorResolver> | undefined;
  /** Modules that export what guards, checker and resolver inject. Default none. */
  readonly imports?: ModuleMetadata['imports'] | undefined;
  /**
   * Origins whose pages may use the API from a browser, such as `https://admin.example.com`, for which the application
   * then needs CORS too. Pages of the API's own origin always may, all others never. Default none.
   */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/** What is given to the module itself about management. */
export interface ManagementExtras {
  /** `false` mounts nothing. Default: mounted at `api`, and closed to everyone without the permissions. */
  readonly management?: false | ManagementOptions | undefined;
}

/** The options, complete. */
export interface ResolvedManagement {
  /** Without slashes around it. */
  readonly path: string;
  readonly guards: readonly (Type<CanActivate> | CanActivate)[];
  readonly permissionChecker: Type<PermissionChecker> | undefined;
  readonly actorResolver: Type<ActorResolver> | undefined;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly trustedOrigins: readonly string[];
}

const OPTION_NAMES = ['path', 'guards', 'permissionChecker', 'actorResolver', 'imports', 'trustedOrigins'];

/**
 * Checks the options and fills in the defaults.
 *
 * @throws CronStoreOptionsError with every fault.
 */
export function resolveManagement(options: ManagementOptions): ResolvedManagement {
  const faults = faultsOf(options);
  if (faults.length > 0) {
    throw new CronStoreOptionsError(faults);
  }
  return {
    path: (options.path ?? 'api').replaceAll(/^\/+|\/+$/g, ''),
    guards: options.guards ?? [],
    permissionChecker: options.permissionChecker,
    actorResolver: options.actorResolver,
    imports: options.imports ?? [],
    trustedOrigins: options.trustedOrigins ?? [],
  };
}

function faultsOf(options: unknown): readonly string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return ['management must be false or an object.'];
  }
  const given = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  const unknown = [...given.keys()].filter((name) => !OPTION_NAMES.includes(name));
  return [
    ...unknown.map(
      (name) => `management.${name} is not an option; the options are ${OPTION_NAMES.join(', ')}.`,
    ),
    ...RULES.flatMap(({ name, accepts, expected }) =>
      !given.has(name) || accepts(given.get(name)) ? [] : [`management.${name} must be ${expected}.`],
    ),
  ];
}

const RULES: readonly { name: string; expected: string; accepts: (value: unknown) => boolean }[] = [
  {
    name: 'path',
    expected: "a path of letters, digits, '-', '_', '.', '~' and '/', such as 'api' or 'admin/cron'",
    accepts: (value) => typeof value === 'string' && /^[\w\-.~/]*$/.test(value),
  },
  {
    name: 'guards',
    expected: 'an array of guard classes or guards',
    accepts: (value) => Array.isArray(value) && value.every(isGuard),
  },
  {
    name: 'permissionChecker',
    expected: 'a class that extends PermissionChecker',
    accepts: (value) => isSubclass(value, PermissionChecker, 'isPermitted'),
  },
  {
    name: 'actorResolver',
    expected: 'a class that extends ActorResolver',
    accepts: (value) => isSubclass(value, ActorResolver, 'resolve'),
  },
  { name: 'imports', expected: 'an array of modules', accepts: Array.isArray },
  {
    name: 'trustedOrigins',
    expected: "an array of origins, such as 'https://admin.example.com', without a path",
    accepts: (value) => Array.isArray(value) && value.every(isOrigin),
  },
];

/** An undefined guard, as an import cycle makes it, would be no guard. */
function isGuard(value: unknown): boolean {
  return (
    typeof value === 'function' || (typeof value === 'object' && value !== null && 'canActivate' in value)
  );
}

/** Or a class with its method, which will do as well. */
function isSubclass(value: unknown, base: { readonly prototype: object }, method: string): boolean {
  if (typeof value !== 'function') {
    return false;
  }
  const prototype: unknown = value.prototype;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    (Object.prototype.isPrototypeOf.call(base.prototype, prototype) || method in prototype)
  );
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}
