import { quote } from '../../quote.js';

const FIELDS_BY_DESCRIPTOR: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

export function isDescriptor(body: string): boolean {
  return body.startsWith('@');
}

/** The five fields that a descriptor, in any case, stands for; undefined for one that is not known. */
export function descriptorFields(descriptor: string): string | undefined {
  return FIELDS_BY_DESCRIPTOR.get(descriptor.toLowerCase());
}

export function unknownDescriptorMessage(descriptor: string): string {
  const advice =
    descriptor.toLowerCase() === '@reboot'
      ? 'a start of the process is no time; run it from onApplicationBootstrap'
      : `allowed are ${[...FIELDS_BY_DESCRIPTOR.keys()].join(', ')} and @every with a duration`;
  return `The cron expression is ${quote(descriptor)}: ${advice}.`;
}
