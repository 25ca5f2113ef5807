import { resolveConsole } from '../../../lib/console/console.options.js';
import { renderPage } from '../../../lib/console/console.page.js';
import { CronStoreModule, CronStoreOptionsError } from '../../../lib/index.js';

describe('the options of the console', () => {
  it.each([undefined, false])('mount nothing with %p', (console) => {
    expect(resolveConsole({ console })).toBeUndefined();
  });

  it('have defaults', () => {
    expect(resolveConsole({ console: true })).toEqual({ path: 'cron', signInUrl: undefined, decorators: [] });
    expect(resolveConsole({ console: {} })).toEqual(resolveConsole({ console: true }));
  });

  it.each([
    [{ path: '' }, 'console.path must be a path'],
    [{ path: '/' }, 'console.path must be a path'],
    [{ path: ':tenant' }, 'console.path must be a path'],
    [{ signInUrl: 'javascript:alert(1)' }, 'console.signInUrl must be a path'],
    [{ signInUrl: '//evil.example' }, 'console.signInUrl must be a path'],
    [{ decorators: ['Public'] }, 'console.decorators must be an array of class decorators'],
    [{ paths: 'cron' }, 'console.paths is not an option; the options are path,'],
    [null, 'console must be true, false or an object'],
    ['cron', 'console must be true, false or an object'],
  ])('refuse %p', (console, message) => {
    const mount = () => Reflect.apply(CronStoreModule.forRoot, CronStoreModule, [{ console }]);
    expect(mount).toThrow(CronStoreOptionsError);
    expect(mount).toThrow(message);
  });

  it('refuse a console without the API that it works by', () => {
    expect(() => CronStoreModule.forRoot({ console: true, management: false })).toThrow(
      'console works by the management API',
    );
  });
});

it.each([
  ['cron', 'api', './cron/assets/a.js', './api'],
  ['ops/cron', 'admin/api', './cron/assets/a.js', '../admin/api'],
  ['a/b/c', '', './c/assets/a.js', '../../'],
])('the page at %s finds its files, and the API at %p', (path, apiPath, script, api) => {
  const options = { path, signInUrl: undefined, decorators: [] };
  expect(renderPage('./assets/a.js {{api}} {{signIn}}', options, apiPath)).toBe(`${script} ${api} `);
});
