import { Inject, Injectable } from '@nestjs/common';
import { StoreReader } from '../../manager/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import { type Actor, definedFields } from '../../schedules/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import { Permissions } from '../access/permissions.js';
import type { HttpRequest } from '../http/http-request.js';
import type { accessShape } from '../input/access.shapes.js';
import type { Shaped } from '../input/field.js';
import type { Operation } from '../operations/operation.js';
import { OPERATIONS } from '../operations/operations.js';
import { ScheduleResource } from './schedule.resource.js';

/** What a store is called. */
export interface StoreIdentity {
  /** The name by which the application imports it; `default` where it has none. */
  readonly name: string;
  /** The environment that it belongs to; absent where it belongs to none. */
  readonly environment?: string;
}

/** Who somebody is to the API, and what they may do. */
export interface Access {
  readonly actor: Actor;
  /** Whose schedules these are, so that nobody takes one store for another. */
  readonly store: StoreIdentity;
  /** The store's time, by which schedules fire. */
  readonly nowUnixMs: number;
  /** Every action that is permitted, with its resource, such as `sys/cron/schedule/pause`. */
  readonly permitted: readonly string[];
}

/** `sys/cron/access`: what the one who asks may do, so that a user interface offers nothing else. */
@Injectable()
export class AccessResource {
  constructor(
    private readonly permissions: Permissions,
    private readonly schedules: ScheduleResource,
    private readonly reader: StoreReader,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** Asks for every action as it would be asked before it, about the schedule where one is named. */
  async get(
    { scheduleName }: Shaped<typeof accessShape>,
    actor: Actor,
    request: HttpRequest,
  ): Promise<Access> {
    const target =
      scheduleName === undefined ? undefined : await this.schedules.targetOf({ name: scheduleName });
    const answers = await Promise.all(
      OPERATIONS.map(async (operation) => ({
        name: `${operation.resource}/${operation.action}`,
        isPermitted: await this.isPermitted(operation, target, actor, request),
      })),
    );
    const { environment, nowUnixMs } = await this.reader.read(async (storage, transaction) => ({
      environment: await storage.environment.read(transaction.executor),
      nowUnixMs: transaction.nowUnixMs,
    }));
    return {
      actor,
      store: { name: this.options.name, ...definedFields({ environment }) },
      nowUnixMs,
      permitted: answers.flatMap(({ name, isPermitted }) => (isPermitted ? [name] : [])),
    };
  }

  private async isPermitted(
    { requires, resource, action, targetOf }: Operation,
    target: PermissionTarget | undefined,
    actor: Actor,
    request: HttpRequest,
  ): Promise<boolean> {
    const about = targetOf === undefined || target === undefined ? {} : { target };
    return this.permissions.isPermitted({ actor, requires, resource, action, ...about, request });
  }
}
