import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { storePartsOf } from '../store-parts.js';
import { Stores } from '../stores.js';
import type { CronStoreEngine } from './engine.js';

/** The engines of the application's other stores, which start and stop with this one's. */
@Injectable()
export class OtherEngines {
  constructor(
    private readonly stores: Stores,
    private readonly application: ModuleRef,
  ) {}

  /** Lets them drain meanwhile. What fails there is told when it is their turn. */
  startDraining(): void {
    this.all().forEach((other) => void other.drain().catch(() => undefined));
  }

  /** Where one store cannot start the application does not either: what others have started must not go on without it. */
  async stop(): Promise<void> {
    await Promise.all(
      this.all().map(async (other) => {
        await other.drain();
        await other.onApplicationShutdown();
      }),
    );
  }

  private all(): readonly CronStoreEngine[] {
    const names = this.stores.names.filter((name) => name !== this.stores.own);
    return names.map((name) => storePartsOf(this.application, name).engine);
  }
}
