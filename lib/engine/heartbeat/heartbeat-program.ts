/** Where the program of the worker thread is, as a file: a thread starts from one. */
export const HEARTBEAT_PROGRAM = new URL('./heartbeat-worker.js', import.meta.url);
