import { createMongoAbility, subject } from '@casl/ability';
import { Injectable } from '@nestjs/common';
import { PermissionChecker, type PermissionQuery } from 'nestjs-cron-store';

/** With CASL: rules such as `{ action: 'cron.schedule.manage', subject: 'Job', conditions: { name: 'daily-report' } }`. */
@Injectable()
export class CaslChecker extends PermissionChecker {
  override isPermitted({ permission, target, request }: PermissionQuery): boolean {
    const { rules } = request.user as { readonly rules: Parameters<typeof createMongoAbility>[0] };
    const ability = createMongoAbility(rules);
    // Without a target it is about every job: conditions on one are not enough.
    const jobs = target === undefined ? [{ name: undefined }] : target.jobNames.map((name) => ({ name }));
    return jobs.every((job) => ability.can(permission, subject('Job', job)));
  }
}
