import { Inject, Injectable } from '@nestjs/common';
import { JOB_REGISTRY, type JobHandlerRegistry } from '../../jobs/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import { JobNotRegisteredError, type Node } from '../../schedules/index.js';
import type {
  NodeSearch,
  NodeSortField,
  Page,
  PageSlice,
  Storage,
  Transaction,
} from '../../storage/index.js';
import { StoreReader } from '../reading/store-reader.js';

/**
 * Which jobs can be executed, and by whom. A node is alive while its last heartbeat is not older than
 * `abandonedAfter`, by the store's clock.
 */
@Injectable()
export class LiveJobs {
  constructor(
    private readonly reader: StoreReader,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
  ) {}

  async listNodes(): Promise<Node[]> {
    return this.reader.read((storage, { executor, nowUnixMs }) =>
      storage.nodes.list(executor, this.aliveSince(nowUnixMs)),
    );
  }

  /** Finds a page of nodes, the newest start first unless sorted otherwise. */
  async findNodes(search: NodeSearch, slice: PageSlice<NodeSortField>): Promise<Page<Node>> {
    return this.reader.read((storage, { executor, nowUnixMs }) =>
      storage.nodes.find(executor, search, this.aliveSince(nowUnixMs), slice),
    );
  }

  async listNames(): Promise<string[]> {
    return this.reader.read((storage, transaction) => this.registeredNames(storage, transaction));
  }

  /** The jobs that some live node can execute. A schedule of any other job is an orphan. */
  async namesOfNodes(storage: Storage, { executor, nowUnixMs }: Transaction): Promise<ReadonlySet<string>> {
    return storage.nodes.liveJobNames(executor, this.aliveSince(nowUnixMs));
  }

  /** @throws JobNotRegisteredError (2704) where neither this process nor a live node has the job. */
  async refuseUnregistered(jobName: string, storage: Storage, transaction: Transaction): Promise<void> {
    if (this.registry.get(jobName) !== undefined) {
      return;
    }
    const names = await this.registeredNames(storage, transaction);
    if (!names.includes(jobName)) {
      throw new JobNotRegisteredError(jobName, names);
    }
  }

  private async registeredNames(storage: Storage, transaction: Transaction): Promise<string[]> {
    const ofNodes = await this.namesOfNodes(storage, transaction);
    return [...new Set([...this.registry.names(), ...ofNodes])].toSorted();
  }

  private aliveSince(nowUnixMs: number): number {
    return nowUnixMs - this.options.abandonedAfter;
  }
}
