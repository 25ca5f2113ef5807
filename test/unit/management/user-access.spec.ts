import { UserActorResolver } from '../../../lib/management/access/user-actor-resolver.js';
import { UserPermissionChecker } from '../../../lib/management/access/user-permission-checker.js';

describe('the default checker', () => {
  it('reads permissions from an array, a Set, or a text', () => {
    expect(isPermitted({ permissions: ['cron.run.query'] })).toBe(true);
    expect(isPermitted({ permissions: new Set(['cron.run.query']) })).toBe(true);
    expect(isPermitted({ permissions: 'openid cron.run.query' })).toBe(true);
  });

  it.each([
    [undefined],
    [null],
    ['cron.run.query'],
    [{}],
    [{ permissions: { includes: () => true } }],
    [{ permissions: 'cron.run.query.x' }],
  ])('permits nothing to %p', (user) => {
    expect(isPermitted(user)).toBe(false);
  });
});

describe('the default resolver', () => {
  it('takes the first id there is, and a name', () => {
    expect(actorOf({ id: 7, name: 'Ada' })).toEqual({ id: '7', name: 'Ada' });
    expect(actorOf({ sub: 'auth0|1', email: 'ada@example.com' })).toEqual({
      id: 'auth0|1',
      name: 'ada@example.com',
    });
    expect(actorOf({ userId: 3n })).toEqual({ id: '3' });
    expect(actorOf({ id: '', username: 'ada' })).toEqual({ id: 'ada', name: 'ada' });
  });

  it('reads what a class computes', () => {
    class User {
      get id() {
        return 'computed';
      }
    }
    expect(actorOf(new User())).toEqual({ id: 'computed' });
  });

  it.each([[undefined], [null], ['ada'], [{}], [{ id: {} }], [{ id: true }], [{ name: 'Ada' }]])(
    'knows nobody in %p',
    (user) => {
      expect(actorOf(user)).toBeUndefined();
    },
  );
});

function isPermitted(user: unknown): boolean {
  return new UserPermissionChecker().isPermitted({
    store: 'default',
    actor: { id: 'u' },
    permission: 'cron.run.query',
    resource: 'sys/cron/run',
    action: 'find_page',
    request: { headers: {}, user },
  });
}

function actorOf(user: unknown) {
  return new UserActorResolver().resolve({ headers: {}, user });
}
