import { Inject, Injectable } from '@nestjs/common';
import { occurrencesOfSchedule } from '../../schedules/index.js';
import {
  CRON_STORE_STORAGE,
  type Storage,
  type Transaction,
  type ZonedSchedule,
} from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';

interface Move {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly fromUnixMs: number;
  readonly nextFireAtUnixMs: number | undefined;
}

/**
 * Keeps cursors in step with the rules of time zones, which governments change and Node ships anew
 * (`process.versions.tz`). A node with newer rules than the store's computes the cursors that lie ahead again, once; one
 * with older rules changes nothing and warns.
 */
@Injectable()
export class ZoneRulesKeeper {
  private readonly logger = new StoreLogger();

  constructor(@Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined) {}

  /** Compares this node's rules with the store's, and follows them when they are newer. */
  async keep(ownVersion: string | undefined = process.versions['tz']): Promise<void> {
    const { storage } = this;
    if (storage === undefined || ownVersion === undefined || !isVersion(ownVersion)) {
      return;
    }
    const storedVersion = await storage.connections.transaction('manager', ({ executor }) =>
      storage.zoneRules.read(executor),
    );
    const order = storedVersion === undefined ? 1 : compareVersions(ownVersion, storedVersion);
    if (order < 0) {
      this.logger.warn(
        `This node has the time-zone rules ${ownVersion}, older than the store's ${storedVersion}: fires in zones that changed may be off on it. Update Node.js.`,
      );
    }
    if (order > 0) {
      // A crash on the way leaves the old version in place, and the next boot starts again: a cursor that agrees stays.
      await this.moveAll(storage);
      await storage.connections.transaction('manager', ({ executor }) =>
        storage.zoneRules.write(executor, ownVersion, storedVersion),
      );
    }
  }

  private async moveAll(storage: Storage): Promise<void> {
    let afterId: string | undefined;
    do {
      afterId = await storage.environment.transaction('manager', (transaction) =>
        this.moveBatch(storage, transaction, afterId),
      );
    } while (afterId !== undefined);
  }

  /** @returns where the next batch goes on; undefined after the last. */
  private async moveBatch(
    storage: Storage,
    { executor, nowUnixMs }: Transaction,
    afterId: string | undefined,
  ): Promise<string | undefined> {
    const batch = await storage.zoneRules.lockBatch(executor, nowUnixMs, afterId);
    const moves = batch.flatMap(movesOf);
    if (moves.length > 0) {
      await storage.zoneRules.move(executor, moves);
      await storage.wakeUp.send(executor);
      for (const { scheduleName, fromUnixMs, nextFireAtUnixMs } of moves) {
        this.logger.log(
          `The time-zone rules changed: ${JSON.stringify(scheduleName)} fires next at ${shown(nextFireAtUnixMs)} instead of ${shown(fromUnixMs)}.`,
          { scheduleName },
        );
      }
    }
    return batch.at(-1)?.schedule.id;
  }
}

/**
 * Where the cursor belongs under this node's rules: the first occurrence that is not accounted for. It may be due
 * already, when the new rules put it earlier; then the misfire policy decides, and nothing is passed over.
 */
function movesOf({ schedule, cursorUnixMs, accountedUntilUnixMs }: ZonedSchedule): readonly Move[] {
  try {
    const nextFireAtUnixMs = occurrencesOfSchedule(schedule).next(accountedUntilUnixMs);
    return nextFireAtUnixMs === cursorUnixMs
      ? []
      : [
          {
            scheduleId: schedule.id,
            scheduleName: schedule.name,
            fromUnixMs: cursorUnixMs,
            nextFireAtUnixMs,
          },
        ];
  } catch {
    // A row that cannot be evaluated is parked when it is claimed.
    return [];
  }
}

function shown(unixMs: number | undefined): string {
  return unixMs === undefined ? 'never' : new Date(unixMs).toISOString();
}

/** Versions of the IANA database: a year, and letters in the order of releases. */
function isVersion(version: string): boolean {
  return /^\d{4}[a-z]+$/.test(version);
}

function compareVersions(left: string, right: string): number {
  const isOfOneYear = left.slice(0, 4) === right.slice(0, 4);
  return (isOfOneYear ? left.length - right.length : 0) || (left < right ? -1 : Number(left > right));
}
