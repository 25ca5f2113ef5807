// What is thrown may be anything, also something that refuses to be looked at: nothing here throws.

/**
 * What an error says; of an error of several that says nothing itself, what each of them does; its code or its name where
 * nothing is said at all.
 */
export function messageOf(thrown: unknown): string {
  return readable(() => sentenceOf(thrown)) ?? 'an error that cannot be read';
}

/** The code of an error, PostgreSQL's or the system's: its own, or that of the driver's error where TypeORM wraps it. */
export function codeOf(thrown: unknown): string | number | undefined {
  return readable(() => {
    const { driverError, code } = fieldsOf(thrown);
    if (driverError !== undefined) {
      return codeOf(driverError);
    }
    return typeof code === 'string' || typeof code === 'number' ? code : undefined;
  });
}

/** The stack of an error, where it has one. */
export function stackOf(thrown: unknown): string | undefined {
  return readable(() => {
    const { stack } = fieldsOf(thrown);
    return typeof stack === 'string' ? stack : undefined;
  });
}

/** What was thrown, where it is an error; else an error that says the same. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

/** By its fields, and not by its class: an error of another realm is an instance of another. */
function sentenceOf(thrown: unknown): string {
  const { message, errors, name } = fieldsOf(thrown);
  if (typeof message !== 'string') {
    return String(thrown);
  }
  if (message !== '') {
    return message;
  }
  // How Node tells that no address of a host could be reached.
  return Array.isArray(errors) && errors.length > 0
    ? errors.map(messageOf).join('; ')
    : String(codeOf(thrown) ?? name);
}

type Fields = Readonly<
  Partial<Record<'message' | 'errors' | 'name' | 'code' | 'stack' | 'driverError', unknown>>
>;

function fieldsOf(thrown: unknown): Fields {
  return Object(thrown) as Fields;
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
