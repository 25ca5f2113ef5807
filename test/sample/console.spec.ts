import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { SampleProcess } from './sample-process.js';

describe('the sample of the console', () => {
  let database: TestDatabase;
  let sample: SampleProcess;
  let base: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const port = await freePort();
    base = `http://127.0.0.1:${port}/back-office`;
    sample = new SampleProcess('03-console/start.mjs', {
      DATABASE_URL: database.url,
      PORT: String(port),
    });
    await sample.said(/Sign in as otto/);
  }, 120_000);

  afterAll(async () => {
    await sample.stop();
    await database.drop();
  });

  it('says where the console is, which everybody may open to find the login', async () => {
    expect(sample.output).toContain(`The console is at ${base}/schedules`);
    const page = await fetch(`${base}/schedules`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('content="/back-office/login"');
    expect((await fetch(`${base}/login`)).status).toBe(200);
    expect((await call('access/get', undefined)).status).toBe(401);
  });

  it('signs in by a cookie, and lets each do what they may', async () => {
    const otto = await signIn('otto');
    const vera = await signIn('vera');
    expect(await (await call('access/get', otto)).json()).toMatchObject({
      data: { actor: { id: 'otto' }, permitted: expect.arrayContaining(['sys/cron/schedule/pause']) },
    });
    const { data } = (await (await call('access/get', vera)).json()) as { data: { permitted: string[] } };
    expect(data.permitted).not.toContain('sys/cron/schedule/pause');
    expect(data.permitted).toContain('sys/cron/schedule/find_page');
    expect((await call('schedule/pause', vera, { name: 'measure-tables' })).status).toBe(403);
    expect(await signIn('nobody')).toBe('');
  });

  it('has work that is real', async () => {
    const otto = await signIn('otto');
    await call('schedule/trigger_now', otto, { name: 'measure-tables' });
    await untilTrue('tables are measured', async () => {
      const rows = await database.query('select 1 from table_size limit 1');
      return rows.length === 1;
    });
    await database.query(`update sign_in_session set expires_at = now() where user_id = 'otto'`);
    expect((await call('access/get', otto)).status).toBe(401);
  });

  async function signIn(name: string): Promise<string> {
    const response = await fetch(`${base}/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: name, password: name }),
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
    return response.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  async function call(action: string, cookie: string | undefined, params = {}): Promise<Response> {
    return fetch(`${base}/api/sys/cron/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) },
      body: JSON.stringify({ params }),
    });
  }
});
