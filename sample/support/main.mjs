import { StoppedError } from './stopped.mjs';

/**
 * Runs a program until it ends or is asked to stop: by Ctrl-C, by a signal, or by the terminal that closes. Being asked
 * more than once changes nothing, and that happens: Ctrl-C reaches every process of the terminal, and npm passes it on.
 *
 * What the program throws is said in one sentence, because it is written to those who start it.
 *
 * @param {(stop: AbortSignal) => Promise<boolean>} program answers whether all went well
 */
export async function main(program) {
  const controller = new AbortController();
  const stop = () => controller.abort(new StoppedError());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, stop);
  }
  if (process.env['npm_lifecycle_event'] !== undefined) {
    whenParentIsGone(stop);
  }
  try {
    process.exitCode = (await program(controller.signal)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StoppedError)) {
      console.error(error instanceof Error ? `Cannot start: ${error.message}` : error);
      process.exitCode = 1;
    }
  }
}

const PARENT_CHECK_MS = 500;

/**
 * npm hands a signal to the shell by which it runs a script, and the shell ends without handing it on.
 *
 * @param {() => void} stop
 */
function whenParentIsGone(stop) {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(check);
      stop();
    }
  }, PARENT_CHECK_MS);
  check.unref();
}
