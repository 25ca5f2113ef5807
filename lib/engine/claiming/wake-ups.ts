import type { HeardWakeUp, Storage, WakeUpListener } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, type StoreLogger } from '../../store-logger.js';

/** Something that sleeps until it is time, or until it is woken. */
interface Sleeper {
  wake(): void;
}

/** Whom wake-ups are for. */
export interface WakeUpRecipients {
  /** Looks for something to claim. */
  readonly poller: Sleeper;
  /** Hears of runs that are asked to end. */
  readonly heartbeat: Sleeper;
}

/** Listens for wake-ups, where the store listens, and wakes what they are for. */
export class WakeUps {
  private readonly listener: WakeUpListener | undefined;

  constructor(
    storage: Storage,
    private readonly recipients: WakeUpRecipients,
    logger: StoreLogger,
  ) {
    this.listener = storage.createListener({
      onWakeUp: (kind) => this.onWakeUp(kind),
      onLost: (error) =>
        logger.warn(
          `The connection for wake-ups was lost, polling serves meanwhile: ${messageOf(error)}`,
          codeFacts(error),
        ),
    });
  }

  /** Starts listening, in the background. */
  open(): void {
    void this.listener?.open();
  }

  /** Stops listening, at once. */
  close(): void {
    this.listener?.close();
  }

  private onWakeUp(kind: HeardWakeUp): void {
    const { poller, heartbeat } = this.recipients;
    switch (kind) {
      case 'claim':
        poller.wake();
        break;
      case 'cancel':
        heartbeat.wake();
        break;
      case 'unknown':
        poller.wake();
        heartbeat.wake();
        break;
    }
  }
}
