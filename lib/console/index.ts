export { withConsole } from './console.mount.js';
export type { ConsoleExtras, ConsoleOptions } from './console.options.js';
