import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { SampleProcess } from './sample-process.js';

const FOLDER = join(import.meta.dirname, '../../sample/02-rbac');

/** Commands of the README, and what it says that they answer. */
interface Step {
  readonly commands: string;
  readonly answer: object;
}

describe('the RBAC sample', () => {
  let database: TestDatabase;
  let port: number;
  let sample: SampleProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    port = await freePort();
    sample = new SampleProcess('02-rbac/start.mjs', {
      DATABASE_URL: database.url,
      PORT: String(port),
    });
    await sample.said(/The API is served at/);
  }, 120_000);

  afterAll(async () => {
    await sample.stop();
    await database.drop();
  });

  it('answers the commands of its README as that says', async () => {
    const steps = await readSteps();
    expect(steps.length).toBeGreaterThan(7);
    const answers = await run(steps);
    for (const [index, { commands, answer }] of steps.entries()) {
      expect([commands, answers[index]]).toMatchObject([commands, answer]);
    }
  });

  it('serves the documentation of the API', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/docs-json`);
    expect(await response.json()).toMatchObject({
      paths: { '/api/sys/cron/schedule/pause': {}, '/login': {} },
    });
  });

  it('lets nobody in with a wrong password or a made-up token', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const credentials of [
      { username: 'vera', password: 'otto' },
      { username: '', password: '' },
    ]) {
      const body = JSON.stringify(credentials);
      const response = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', headers, body });
      expect(response.status).toBe(401);
    }
    const unsigned = [{ alg: 'none' }, { sub: 'u-2', role: 'operator' }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const response = await fetch(`http://127.0.0.1:${port}/api/sys/cron/schedule/list_jobs`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${unsigned.join('.')}.` },
      body: '{}',
    });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 1000 }]);
  });

  async function readSteps(): Promise<Step[]> {
    const readme = await readFile(join(FOLDER, 'README.md'), 'utf8');
    const blocks = readme.replaceAll('127.0.0.1:3220', `127.0.0.1:${port}`);
    return [...blocks.matchAll(/```sh\n([^]*?)```\s+```json\n([^]*?)```/g)].map(([, commands, answer]) => ({
      commands: commands ?? '',
      answer: JSON.parse(answer ?? '') as object,
    }));
  }
});

/** Runs them in one shell, as somebody would who follows the README; each step answers in one line. */
async function run(steps: readonly Step[]): Promise<unknown[]> {
  const script = steps.map(({ commands }) => `${commands}\necho`).join('\n');
  const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let answers = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (answers += chunk));
  shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (answers += chunk));
  await once(shell, 'close');
  return answers
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
