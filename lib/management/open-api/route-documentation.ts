import { definedFields } from '../../schedules/index.js';
import type { Requirement } from '../access/requirement.js';
import { envelopeShape } from '../doors/envelope.door.js';
import { schemaOf } from '../input/field.js';
import type { JsonSchema } from '../input/json-schema.js';
import type { OperationExample } from '../operations/example.js';
import type { Operation } from '../operations/operation.js';
import { OPERATIONS } from '../operations/operations.js';

/** What is documented of a route. */
export interface RouteDocumentation {
  readonly summary: string;
  readonly description: string;
  readonly body: JsonSchema;
  readonly examples: Readonly<Record<string, BodyExample>>;
  /** The `data` of a success. */
  readonly data: JsonSchema;
}

interface BodyExample {
  readonly summary: string;
  readonly description: string;
  readonly value: object;
}

/** What is said of the codes that an action can answer with at HTTP 200. */
const ERRORS: Readonly<Record<number, string>> = {
  2001: 'there is no such run',
  2700: 'there is no such schedule',
  2701: 'the name is taken',
  2702: 'the schedule is paused',
  2703: 'the trigger is invalid',
  2704: 'the job is not registered',
  2706: 'something else is invalid; the message says what',
  2707: 'the schedule was changed since it was read',
  2708: 'the store belongs to another environment',
};

/** What every change can answer with. */
const ERRORS_OF_CHANGES = [2708];

/** Documents the route of one action. */
export function documentAction(operation: Operation): RouteDocumentation {
  const { documentation, paramsShape, metaShape } = operation;
  const properties = {
    ...(hasFields(paramsShape) ? { params: schemaOf(paramsShape) } : {}),
    ...(hasFields(metaShape) ? { meta: schemaOf(metaShape) } : {}),
  };
  const isRequired = Object.values(paramsShape).some((field) => field.isRequired);
  return {
    summary: documentation.summary,
    description: descriptionOf(operation),
    body: {
      type: 'object',
      properties,
      ...(isRequired ? { required: ['params'] } : {}),
      additionalProperties: false,
    },
    examples: examplesOf(operation, ({ params, meta }) => definedFields({ params, meta })),
    data: documentation.data,
  };
}

/** Documents the route of the envelope, by an example of each action. */
export function documentEnvelope(): RouteDocumentation {
  const examples = OPERATIONS.flatMap((operation) => {
    const { resource, action } = operation;
    const all = examplesOf(operation, ({ params, meta }) =>
      definedFields({ resource, action, params, meta }),
    );
    return Object.entries(all)
      .slice(0, 1)
      .map(([, example]): [string, BodyExample] => [`${resource}/${action}`, example]);
  });
  return {
    summary: 'Does any of the actions, which the body names.',
    description: 'The same as the routes of the actions, with their permissions, params, data and errors.',
    body: schemaOf(envelopeShape),
    examples: Object.fromEntries(examples),
    data: { nullable: true, description: 'What the action answers with.' },
  };
}

function descriptionOf({ requires, mutates, targetOf, documentation }: Operation): string {
  const about = targetOf === undefined ? '' : ', for this schedule and its job';
  const codes = [...documentation.errors, ...(mutates ? ERRORS_OF_CHANGES : [])];
  const errors = codes.map((code) => `\n- \`${code}\`: ${ERRORS[code] ?? ''}`);
  return [
    needsOf(requires, about),
    ...(mutates ? ['Every attempt is audited.'] : []),
    ...(errors.length === 0 ? [] : [`Errors, at HTTP 200, by \`code\`:\n${errors.join('')}`]),
  ].join('\n\n');
}

function needsOf(requires: Requirement, about: string): string {
  switch (requires.kind) {
    case 'signedIn':
      return 'Needs no permission, only somebody who is signed in.';
    case 'permission':
      return `Needs the permission \`${requires.name}\`${about}.`;
  }
}

function examplesOf(
  operation: Operation,
  bodyOf: (example: OperationExample) => object,
): Readonly<Record<string, BodyExample>> {
  return Object.fromEntries(
    operation.documentation.examples.map((example) => [
      example.summary,
      {
        summary: example.summary,
        description: `Answered with code ${example.code}.`,
        value: bodyOf(example),
      },
    ]),
  );
}

function hasFields(shape: object): boolean {
  return Object.keys(shape).length > 0;
}
