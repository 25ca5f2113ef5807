import type { Type } from '@nestjs/common';

/**
 * Leaves the console out of the application's OpenAPI document, where there is @nestjs/swagger: it is for browsers.
 * Awaited while the application is created, so that it is done before the document is made.
 */
export async function excludeFromDocument(controller: Type): Promise<void> {
  const swagger = await import('@nestjs/swagger').catch(() => undefined);
  swagger?.ApiExcludeController()(controller);
}
