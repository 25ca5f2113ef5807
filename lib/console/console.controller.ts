import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  type OnModuleInit,
  Param,
  Req,
  Res,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { type ConsoleFiles, readConsoleFiles } from './console.files.js';
import type { ResolvedConsole } from './console.options.js';
import { renderPage } from './console.page.js';
import { CONSOLE_FOLDER } from './console.tokens.js';
import { ASSET_HEADERS, PAGE_HEADERS } from './response-headers.js';

/**
 * Makes the controller of a console: a class of its own for every mount, because a path is metadata of a class, which
 * two stores in a process must not share.
 *
 * @param apiPath of the management API that the console works by
 */
export function createConsoleController(options: ResolvedConsole, apiPath: string): Type {
  @Controller({ path: options.path, version: VERSION_NEUTRAL })
  class ConsoleController implements OnModuleInit {
    private files: ConsoleFiles = { page: '', assets: new Map() };

    constructor(
      @Inject(CONSOLE_FOLDER) private readonly folder: string,
      @Inject(CRON_STORE_OPTIONS) private readonly store: ResolvedOptions,
      @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    ) {}

    /** A console that is not built fails the start. */
    onModuleInit(): void {
      if (this.store.enabled) {
        const { page, assets } = readConsoleFiles(this.folder);
        this.files = { page: renderPage(page, options, apiPath), assets };
      }
    }

    @Get()
    page(@Req() request: unknown, @Res() response: unknown): void {
      this.refuseDisabled();
      if (this.hasFinalSlash(request)) {
        this.adapterHost.httpAdapter.redirect(response, 302, `../${options.path.split('/').at(-1)}`);
        return;
      }
      this.reply(response, PAGE_HEADERS, this.files.page);
    }

    @Get('assets/:name')
    asset(@Param('name') name: string, @Res() response: unknown): void {
      this.refuseDisabled();
      const file = this.files.assets.get(name);
      if (file === undefined) {
        throw new NotFoundException();
      }
      this.reply(response, { ...ASSET_HEADERS, 'Content-Type': file.contentType }, file.text);
    }

    private refuseDisabled(): void {
      if (!this.store.enabled) {
        throw new NotFoundException();
      }
    }

    /** Where the adapter takes it for the same path: from there the page would not find its files. */
    private hasFinalSlash(request: unknown): boolean {
      const url: string = this.adapterHost.httpAdapter.getRequestUrl(request);
      return url.replace(/\?.*$/, '').endsWith(`/${options.path}/`);
    }

    private reply(response: unknown, headers: Readonly<Record<string, string>>, text: string): void {
      const { httpAdapter } = this.adapterHost;
      for (const [name, value] of Object.entries(headers)) {
        httpAdapter.setHeader(response, name, value);
      }
      httpAdapter.reply(response, text, 200);
    }
  }
  options.decorators.forEach((decorate) => decorate(ConsoleController));
  return ConsoleController;
}
