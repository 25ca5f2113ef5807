/** The version of this package, as nodes announce it. A test holds it to package.json. */
export const PACKAGE_VERSION = '0.1.0';
