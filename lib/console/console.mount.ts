import { fileURLToPath } from 'node:url';
import type { DynamicModule } from '@nestjs/common';
import { type ManagementExtras, resolveManagement } from '../management/index.js';
import { CONSOLE_PATH } from '../stores.js';
import { createConsoleController } from './console.controller.js';
import { type ConsoleExtras, resolveConsole } from './console.options.js';
import { CONSOLE_DOCUMENTATION, CONSOLE_FOLDER } from './console.tokens.js';
import { excludeFromDocument } from './exclude-from-document.js';

/** Adds the console to the module of a store, where it is wanted. */
export function withConsole(module: DynamicModule, extras: ConsoleExtras & ManagementExtras): DynamicModule {
  const options = resolveConsole(extras);
  const { management = {} } = extras;
  if (options === undefined || management === false) {
    return module;
  }
  const controller = createConsoleController(options, resolveManagement(management).path);
  const folder = fileURLToPath(new URL('./static/', import.meta.url));
  return {
    ...module,
    controllers: [...(module.controllers ?? []), controller],
    providers: [
      ...(module.providers ?? []),
      { provide: CONSOLE_FOLDER, useValue: folder },
      { provide: CONSOLE_PATH, useValue: options.path },
      // A provider that nobody injects, because the application waits for it.
      { provide: CONSOLE_DOCUMENTATION, useFactory: () => excludeFromDocument(controller) },
    ],
  };
}
