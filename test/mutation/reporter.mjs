import { appendFileSync } from 'node:fs';

/** Writes down each test as it ends, so that it is on record though the process may not outlive its file. */
export default class Reporter {
  /**
   * @param {unknown} _test
   * @param {{ readonly fullName: string, readonly status: string }} result
   */
  onTestCaseResult(_test, { fullName, status }) {
    appendFileSync(process.env.MUTATION_REPORT ?? '', `${JSON.stringify({ fullName, status })}\n`);
  }
}
