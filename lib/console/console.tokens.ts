/** The folder with the built files of the console. */
export const CONSOLE_FOLDER = Symbol('CONSOLE_FOLDER');
