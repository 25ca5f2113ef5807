import { createRequire } from 'node:module';

interface PackageManifest {
  readonly version: string;
}

/** The version of this package that runs. */
export const PACKAGE_VERSION = (
  createRequire(import.meta.url)('nestjs-cron-store/package.json') as PackageManifest
).version;
