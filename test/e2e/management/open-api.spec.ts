import { jest } from '@jest/globals';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { compileErrors, validate } from '@readme/openapi-parser';
import { documentRoutes } from '../../../lib/management/open-api/document-routes.js';
import { ASLEEP } from '../../support/asleep.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ManagementApp, YEARLY } from './support/management-app.js';

/** What of the document the test goes through. */
interface DocumentedRoute {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: unknown;
        readonly examples?: Readonly<
          Record<string, { readonly value: object; readonly description: string }>
        >;
      };
    };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

const RUN_ID = '01970f2e-6c00-7000-8000-000000000001';
const BACKFILL_ID = '01970f2e-6c00-7000-8000-000000000002';

/** As much of a schema as says which members an answer has. */
interface DataSchema {
  readonly properties?: Readonly<Record<string, DataSchema>>;
  readonly required?: readonly string[];
  readonly items?: DataSchema;
}

function dataSchemaOf({ responses }: DocumentedRoute): DataSchema {
  const success = responses['200'] as {
    readonly content: { readonly 'application/json': { readonly schema: DataSchema } };
  };
  return success.content['application/json'].schema.properties?.['data'] ?? {};
}

/** Members of an answer that its schema does not have, and those it requires that are not there. */
function undocumented(
  value: unknown,
  { properties, required = [], items }: DataSchema,
  path = 'data',
): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => undocumented(element, items ?? {}, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || properties === undefined) {
    return [];
  }
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `no ${path}.${name}`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name];
    return schema === undefined ? [`${path}.${name}`] : undocumented(member, schema, `${path}.${name}`);
  });
  return [...missing, ...wrong];
}

describe.each(['express', 'fastify'] as const)('the OpenAPI document on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;
  let document: OpenAPIObject;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({
      url: database.url,
      adapter,
      globalPrefix: 'v9',
      versioning: true,
      store: ASLEEP,
      jobs: ['daily-report'],
    });
    document = SwaggerModule.createDocument(app.app, new DocumentBuilder().setTitle('test').build());
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  function routes(): [string, DocumentedRoute][] {
    return Object.entries(document.paths).map(([path, item]) => [
      path,
      item.post as unknown as DocumentedRoute,
    ]);
  }

  it('is valid', async () => {
    const result = await validate(structuredClone(document) as unknown as Parameters<typeof validate>[0]);
    expect(result.valid ? '' : compileErrors(result)).toBe('');
  });

  it('documents every action, with its permission and its errors', () => {
    const actions = {
      schedule:
        'find_page get list_jobs preview_fires create update patch delete pause resume trigger_now ' +
        'preview_backfill backfill cancel_backfill find_backfills hold release find_holds find_upcoming',
      run: 'find_page find_one find_attempts find_cursor count_by_time find_latest cancel cancel_all rerun',
      node: 'find_page',
      audit: 'find_page',
      access: 'get',
    };
    const paths = Object.entries(actions).flatMap(([resource, names]) =>
      names.split(' ').map((name) => `/v9/api/sys/cron/${resource}/${name}`),
    );
    expect(
      routes()
        .map(([path]) => path)
        .toSorted(),
    ).toEqual(['/v9/api', ...paths].toSorted());
    for (const [path, route] of routes()) {
      expect(Object.keys(route.responses).toSorted()).toEqual(['200', '400', '401', '403', '404', '500']);
      if (path !== '/v9/api') {
        expect(route.description).toMatch(
          /^Needs (the permission `cron\.(schedule|run|audit)\.(query|manage)`|no permission, only somebody)/,
        );
      }
    }
    const patch = routes().find(([path]) => path.endsWith('/patch'))?.[1];
    expect(patch).toMatchObject({
      operationId: 'api_sys_cron_schedule_patch',
      tags: ['sys/cron/schedule'],
      description: expect.stringMatching(
        /audited[^]*`2707`: the schedule was changed since it was read[^]*`2708`: the store belongs to another environment/,
      ),
      requestBody: {
        content: {
          'application/json': {
            schema: {
              required: ['params'],
              properties: {
                params: {
                  required: ['name'],
                  additionalProperties: false,
                  properties: { endsAtUnixMs: { type: 'integer', nullable: true } },
                },
              },
            },
          },
        },
      },
    });
    expect(new Set(routes().map(([, route]) => route.operationId)).size).toBe(routes().length);
  });

  it('has examples that the API answers as it says', async () => {
    const sent: string[] = [];
    for (const [path, route] of routes()) {
      const { examples = {} } = route.requestBody.content['application/json'];
      expect([path, Object.keys(examples).length > 0]).toEqual([path, true]);
      for (const [name, { value, description }] of Object.entries(examples)) {
        await prepare();
        const answer = await app.post(path.replace('/v9/api', ''), value);
        sent.push(`${path} ${name}`);
        expect([path, name, `Answered with code ${answer.code}.`]).toEqual([path, name, description]);
        expect(answer.status).toBe(200);
        if (path !== '/v9/api' && answer.code === 0) {
          expect([path, name, undocumented(answer.data, dataSchemaOf(route))]).toEqual([path, name, []]);
        }
      }
    }
    expect(sent.length).toBeGreaterThan(30);
  });

  /** What the examples suppose. */
  async function prepare(): Promise<void> {
    await database.empty(
      'crn_schedule',
      'crn_schedule_name',
      'crn_run',
      'crn_fire_request',
      'crn_backfill',
      'crn_hold',
    );
    const { id } = await app.manager.create({
      name: 'nightly-report',
      jobName: 'daily-report',
      trigger: YEARLY,
    });
    await database.query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms, claimed_at_unix_ms, status,
         missed_count, attempt, recoveries, idempotency_key, created_at_unix_ms, created_by)
       values ($1, $2, 'nightly-report', 'daily-report', 'manual', 1, 1, 'succeeded', 0, 1, 0, 'key', 1, 'system')`,
      [RUN_ID, id],
    );
    await database.query(
      `insert into crn_backfill (id, schedule_id, from_unix_ms, to_unix_ms, next_unix_ms, total, fired, status,
         created_at_unix_ms, created_by)
       values ($1, $2, 0, 1, 4102444800000, 1, 0, 'running', 1, 'system')`,
      [BACKFILL_ID, id],
    );
  }
});

it('has ids of operations that no other path has', async () => {
  const paths = ['', 'ab', 'a/b', 'a//b', 'a_b', 'a__b', 'a_/b', 'a/_b', 'a-b', 'a.b', 'a~b'];
  const ids = await Promise.all(
    paths.map(async (path) => {
      class Controller {
        call(): void {}
      }
      await documentRoutes([{ controller: Controller, method: 'call', purpose: 'envelope' }], path);
      const { operationId } = Reflect.getMetadata('swagger/apiOperation', Controller.prototype.call) as {
        readonly operationId: string;
      };
      return operationId;
    }),
  );
  expect(ids.slice(0, 3)).toEqual(['sys_cron_call', 'ab_sys_cron_call', 'a_b_sys_cron_call']);
  expect(new Set(ids).size).toBe(paths.length);
});

describe('without @nestjs/swagger', () => {
  afterEach(() => {
    jest.resetModules();
  });

  it('the API is the same', async () => {
    jest.unstable_mockModule('@nestjs/swagger', () => {
      throw new Error('Cannot find package');
    });
    const { documentRoutes: documentNothing } =
      await import('../../../lib/management/open-api/document-routes.js');
    class Controller {
      call(): void {}
    }
    await documentNothing([{ controller: Controller, method: 'call', purpose: 'envelope' }], 'api');
    expect(Reflect.getMetadataKeys(Controller.prototype.call)).toEqual([]);
  });
});
