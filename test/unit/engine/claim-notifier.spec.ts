import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClaimNotifier } from '../../../lib/engine/claiming/claim-notifier.js';
import { ClaimObserver, type Claim, type ClaimIntent } from '../../../lib/jobs/index.js';
import { claimedRun } from './claimed-run.js';

const { run } = claimedRun();

class Recording extends ClaimObserver {
  readonly heard: (Claim | ClaimIntent)[] = [];

  override beforeClaim(intent: ClaimIntent): void {
    this.heard.push(intent);
  }

  override afterClaim(claim: Claim): void {
    this.heard.push(claim);
  }
}

class Silent extends ClaimObserver {}

class Throwing extends ClaimObserver {
  override beforeClaim(): void {
    throw new Error('no metrics today');
  }

  override async afterClaim(): Promise<void> {
    await Promise.resolve();
    throw new Error('nor later');
  }
}

class Hanging extends ClaimObserver {
  override beforeClaim(): Promise<void> {
    return new Promise(() => undefined);
  }
}

const SOURCE = { store: 'default', nodeId: 'node' };

describe('ClaimNotifier', () => {
  it('tells what the node is about to ask for, and each run that it got', () => {
    const recording = new Recording();
    const notifier = new ClaimNotifier([new Silent(), new Hanging(), recording], SOURCE);
    notifier.beforeClaim({ jobNames: ['report'], slots: 3 });
    notifier.afterClaim([run, { ...run, id: 'other', origin: 'recovery', occurrenceAtUnixMs: 1_000 }]);
    expect(recording.heard).toEqual([
      { store: 'default', nodeId: 'node', jobNames: ['report'], slots: 3 },
      {
        store: 'default',
        nodeId: 'node',
        runId: run.id,
        scheduleId: run.scheduleId,
        scheduleName: 'nightly',
        jobName: 'report',
        origin: 'schedule',
        scheduledAtUnixMs: 1_000,
        claimedAtUnixMs: 1_500,
        attempt: 1,
        idempotencyKey: 'key',
      },
      expect.objectContaining({
        runId: 'other',
        origin: 'recovery',
        occurrence: { scheduleId: run.scheduleId, atUnixMs: 1_000 },
      }),
    ]);
  });

  it('lets no observer change what the others are told', () => {
    const recording = new Recording();
    class Meddling extends ClaimObserver {
      override beforeClaim({ jobNames }: ClaimIntent): void {
        (jobNames as string[]).push('another');
      }
    }
    const logged = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const jobNames = ['report'];
    new ClaimNotifier([new Meddling(), recording], SOURCE).beforeClaim({ jobNames, slots: 1 });
    expect(recording.heard).toEqual([{ store: 'default', nodeId: 'node', jobNames: ['report'], slots: 1 }]);
    expect(jobNames).toEqual(['report']);
    logged.mockRestore();
  });

  it('logs what observers throw, and goes on', async () => {
    const logged = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const recording = new Recording();
    const notifier = new ClaimNotifier([new Throwing(), recording], SOURCE);
    notifier.beforeClaim({ jobNames: [], slots: 1 });
    notifier.afterClaim([run]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(recording.heard).toHaveLength(2);
    expect(logged.mock.calls.map(([message]: unknown[]) => message)).toEqual([
      'The claim observer Throwing failed: no metrics today',
      'The claim observer Throwing failed: nor later',
    ]);
    logged.mockRestore();
  });
});
