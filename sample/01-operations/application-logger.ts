import { ConsoleLogger } from '@nestjs/common';

/** What the framework says about its own start. */
const FRAMEWORK_CONTEXTS: ReadonlySet<unknown> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** Logs what the application and the store have to say, and leaves the framework's own start out. */
export class ApplicationLogger extends ConsoleLogger {
  constructor() {
    super({ prefix: 'operations', logLevels: ['fatal', 'error', 'warn', 'log'] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!FRAMEWORK_CONTEXTS.has(rest.at(-1))) {
      super.log(message, ...rest);
    }
  }
}
