import { Injectable } from '@nestjs/common';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { PermissionChecker, type PermissionQuery } from 'nestjs-cron-store';

const MODEL = `
[request_definition]
r = sub, job, act
[policy_definition]
p = sub, job, act
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub) && keyMatch(r.job, p.job) && keyMatch(r.act, p.act)`;

const POLICY = `
p, viewer, *, cron.schedule.query
p, viewer, *, cron.run.query
p, operator, daily-*, cron.*
g, u-1, viewer
g, u-2, operator
g, u-2, viewer`;

/** With casbin: the policy says which role may do what with which jobs. */
@Injectable()
export class CasbinChecker extends PermissionChecker {
  private readonly enforcer = newEnforcer(newModelFromString(MODEL), new StringAdapter(POLICY));

  override async isPermitted({ actor, permission, target }: PermissionQuery): Promise<boolean> {
    const enforcer = await this.enforcer;
    // Without a target it is about every job, which only a policy for `*` allows.
    const jobs = target?.jobNames ?? ['*'];
    const answers = await Promise.all(jobs.map((job) => enforcer.enforce(actor.id, job, permission)));
    return answers.every(Boolean);
  }
}
