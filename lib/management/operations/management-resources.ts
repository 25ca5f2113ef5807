import { Injectable } from '@nestjs/common';
import { AccessResource } from '../resources/access.resource.js';
import { AuditResource } from '../resources/audit.resource.js';
import { BackfillResource } from '../resources/backfill.resource.js';
import { HoldResource } from '../resources/hold.resource.js';
import { NodeResource } from '../resources/node.resource.js';
import { RunControlResource } from '../resources/run-control.resource.js';
import { RunResource } from '../resources/run.resource.js';
import { RunStatisticsResource } from '../resources/run-statistics.resource.js';
import { ScheduleResource } from '../resources/schedule.resource.js';
import { UpcomingResource } from '../resources/upcoming.resource.js';

/** The resources that operations are methods of. */
@Injectable()
export class ManagementResources {
  constructor(
    readonly schedules: ScheduleResource,
    readonly backfills: BackfillResource,
    readonly holds: HoldResource,
    readonly runs: RunResource,
    readonly runControl: RunControlResource,
    readonly nodes: NodeResource,
    readonly audit: AuditResource,
    readonly access: AccessResource,
    readonly runStatistics: RunStatisticsResource,
    readonly upcoming: UpcomingResource,
  ) {}
}
