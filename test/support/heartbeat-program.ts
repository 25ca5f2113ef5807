/** Stands for the module of this name in tests: where the global set-up has compiled the program to. */
export const HEARTBEAT_PROGRAM = new URL(
  '../../.data/test/engine/heartbeat/heartbeat-worker.js',
  import.meta.url,
);
