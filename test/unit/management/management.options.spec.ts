import { CronStoreModule, CronStoreOptionsError } from '../../../lib/index.js';
import { resolveManagement } from '../../../lib/management/management.options.js';

describe('the options of management', () => {
  it('have defaults', () => {
    expect(resolveManagement({})).toEqual({
      path: 'api',
      guards: [],
      permissionChecker: undefined,
      actorResolver: undefined,
      imports: [],
      trustedOrigins: [],
    });
  });

  it.each([
    ['/admin/cron/', 'admin/cron'],
    ['', ''],
    ['/', ''],
  ])('take the path %p for %p', (path, resolved) => {
    expect(resolveManagement({ path }).path).toBe(resolved);
  });

  it.each([
    [{ path: ':tenant' }, 'management.path must be a path'],
    [{ path: 5 }, 'management.path must be a path'],
    [{ guards: [undefined] }, 'management.guards must be an array of guard classes'],
    [{ guards: {} }, 'management.guards must be an array of guard classes'],
    [{ permissionChecker: { isPermitted: () => true } }, 'management.permissionChecker must be a class'],
    [{ permissionChecker: class {} }, 'management.permissionChecker must be a class'],
    [{ actorResolver: class {} }, 'management.actorResolver must be a class'],
    [{ actorResolver: 'user' }, 'management.actorResolver must be a class'],
    [{ trustedOrigins: ['https://a.example.com/'] }, 'management.trustedOrigins must be an array of origins'],
    [{ trustedOrigins: ['*'] }, 'management.trustedOrigins must be an array of origins'],
    [{ guard: [] }, 'management.guard is not an option; the options are path, guards,'],
    [null, 'management must be false or an object'],
    [true, 'management must be false or an object'],
  ])('refuse %p', (management, message) => {
    const mount = () => Reflect.apply(CronStoreModule.forRoot, CronStoreModule, [{ management }]);
    expect(mount).toThrow(CronStoreOptionsError);
    expect(mount).toThrow(message);
  });

  it('name every fault', () => {
    expect(() => resolveManagement(JSON.parse('{"path":1,"imports":2}') as object)).toThrow(
      /management\.path[^]*management\.imports/,
    );
  });
});
