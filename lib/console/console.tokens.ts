/** The folder with the built files of the console. */
export const CONSOLE_FOLDER = Symbol('CONSOLE_FOLDER');

/** Resolves when the OpenAPI document knows what to leave out. */
export const CONSOLE_DOCUMENTATION = Symbol('CONSOLE_DOCUMENTATION');
