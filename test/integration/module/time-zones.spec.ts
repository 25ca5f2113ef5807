import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const SPECS = [
  'test/unit/schedules',
  'test/unit/triggers/cases.spec.ts',
  'test/integration/engine/firing.spec.ts',
  'test/integration/manager/create.spec.ts',
  'test/integration/manager/lifecycle.spec.ts',
  'test/integration/manager/reading.spec.ts',
  'test/integration/manager/update.spec.ts',
];

describe('the zones of the process and of the database', () => {
  it('do not matter: everything passes in America/St_Johns with sessions in Asia/Kolkata (scenario 40)', async () => {
    const child = spawn(
      process.execPath,
      ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand', ...SPECS],
      {
        env: { ...process.env, TZ: 'America/St_Johns', PGOPTIONS: '-c timezone=Asia/Kolkata' },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const report = await text(child.stderr);

    expect(report).toMatch(/Tests: .*\d+ passed/);
    expect([await exited, report]).toEqual([0, expect.not.stringMatching(/●/)]);
  }, 600_000);
});
