import { quote } from '../quote.js';
import { show } from './show.js';
import type { TriggerKind } from './trigger.js';
import { TriggerInvalidError } from './trigger-invalid.error.js';

/** The fields of a trigger, each read once and not yet checked. */
export interface TriggerFields {
  readonly kind: TriggerKind;
  readonly values: ReadonlyMap<string, unknown>;
}

const FIELDS_BY_KIND: Readonly<Record<TriggerKind, readonly string[]>> = {
  cron: ['expr', 'timezone', 'dstGap'],
  interval: ['everyMs'],
  once: ['atUnixMs'],
};

/**
 * Takes a value that should be a trigger apart. A field that is undefined counts as absent.
 *
 * @throws TriggerInvalidError `kind_unknown` when it is no trigger, `fields_conflict` when it has other fields than
 * those of its kind
 */
export function readFields(trigger: unknown): TriggerFields {
  const values = ownValues(trigger);
  const kind = values.get('kind');
  if (!isTriggerKind(kind)) throw kindUnknown(`has the kind ${show(kind)}`);
  for (const name of values.keys()) {
    if (name !== 'kind' && !FIELDS_BY_KIND[kind].includes(name)) throw fieldsConflict(kind, name);
  }
  return { kind, values };
}

/** Reads every property once: what was checked is what is used, whatever getters do. */
function ownValues(trigger: unknown): ReadonlyMap<string, unknown> {
  try {
    if (typeof trigger !== 'object' || trigger === null || Array.isArray(trigger)) {
      throw kindUnknown(`is ${show(trigger)}`);
    }
    return new Map(Object.entries(trigger).filter(([, value]) => value !== undefined));
  } catch (error) {
    if (error instanceof TriggerInvalidError) throw error;
    throw kindUnknown('cannot be read', error);
  }
}

function isTriggerKind(kind: unknown): kind is TriggerKind {
  return typeof kind === 'string' && Object.hasOwn(FIELDS_BY_KIND, kind);
}

function kindUnknown(found: string, cause?: unknown): TriggerInvalidError {
  return new TriggerInvalidError(
    'kind_unknown',
    `The trigger ${found}; write an object whose kind is "cron", "interval" or "once".`,
    { cause },
  );
}

function fieldsConflict(kind: TriggerKind, name: string): TriggerInvalidError {
  const home = Object.entries(FIELDS_BY_KIND).find(([, fields]) => fields.includes(name))?.[0];
  const whose = home === undefined ? 'is no field of a trigger' : `belongs to the kind "${home}"`;
  return new TriggerInvalidError(
    'fields_conflict',
    `The field ${quote(name)} ${whose}: remove it; the kind "${kind}" has ${FIELDS_BY_KIND[kind].join(', ')}.`,
  );
}
