import { Injectable } from '@nestjs/common';
import { AuditResource } from '../resources/audit.resource.js';
import { RunResource } from '../resources/run.resource.js';
import { ScheduleResource } from '../resources/schedule.resource.js';

/** The resources that operations are methods of. */
@Injectable()
export class ManagementServices {
  constructor(
    readonly schedules: ScheduleResource,
    readonly runs: RunResource,
    readonly audit: AuditResource,
  ) {}
}
