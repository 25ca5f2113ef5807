import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Permissions } from '../../../lib/management/access/permissions.js';
import { permission } from '../../../lib/management/access/requirement.js';
import { actionDoor } from '../../../lib/management/doors/action.door.js';
import { resolveManagement } from '../../../lib/management/management.options.js';
import { operation } from '../../../lib/management/operations/operation.js';
import { DOOR } from '../../../lib/management/pipeline/door.metadata.js';
import { ManagementGuard } from '../../../lib/management/pipeline/management.guard.js';
import { PermittedCalls } from '../../../lib/management/pipeline/permitted-calls.js';

describe('the guard of the management API', () => {
  const request = { headers: { 'content-type': 'application/json' }, body: {} };
  const everybody = new Permissions({ isPermitted: () => true }, 'default');

  function enter(handler: () => void, calls = new PermittedCalls()): Promise<boolean> {
    const context = {
      getHandler: () => handler,
      switchToHttp: () => ({ getRequest: () => request }),
    } as unknown as ExecutionContext;
    const authentication = { actorOf: () => Promise.resolve({ id: 'u-1' }) };
    return Reflect.construct(ManagementGuard, [
      resolveManagement({}),
      new Reflector(),
      authentication,
      everybody,
      {},
      calls,
    ]).canActivate(context) as Promise<boolean>;
  }

  it('lets a permitted request pass', async () => {
    await expect(enter(route('cron.test'))).resolves.toBe(true);
  });

  it('denies a route that declares no permission, to everybody', async () => {
    await expect(enter(route())).rejects.toMatchObject({ status: 403, code: 1100 });
    await expect(enter(route(''))).rejects.toMatchObject({ status: 403, code: 1100 });
  });

  it('lets nothing be answered that it has not let pass', async () => {
    const calls = new PermittedCalls();
    await expect(enter(route(), calls)).rejects.toThrow();
    expect(() => calls.get(request)).toThrow('without passing its guard');
  });
});

function route(name?: string): () => void {
  class Controller {
    act(): void {}
  }
  const handler = Controller.prototype.act;
  if (name !== undefined) {
    const declared = operation({
      resource: 'sys/cron/test',
      action: 'act',
      requires: permission(name),
      mutates: false,
      params: {},
      handle: () => null,
      documentation: { summary: '', data: {}, errors: [], examples: [] },
    });
    Reflect.defineMetadata(DOOR, actionDoor(declared), handler);
  }
  return handler;
}
