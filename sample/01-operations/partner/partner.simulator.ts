import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const CUSTOMERS = 1_000;
const PAGE_DELAY_MS = 300;

/**
 * The partner, as far as this sample needs one: a server of its own on the loopback interface. It has a thousand
 * customers, of which one changes every second.
 *
 * - `GET /changes?since=<Unix ms>` is quick, but overloaded: every third request is turned away with 503.
 * - `GET /customers?page=0&size=25` is reliable, but slow.
 */
@Injectable()
export class PartnerSimulator implements OnModuleInit, OnApplicationShutdown {
  private readonly server: Server = createServer((request, response) => {
    void this.answer(new URL(request.url ?? '/', this.url), response);
  });
  private changeRequests = 0;

  /** Before the engine starts, so that the first run finds it. */
  async onModuleInit(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** After the engine has drained, so that the last run still finds it. */
  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  private async answer({ pathname, searchParams }: URL, response: ServerResponse): Promise<void> {
    switch (pathname) {
      case '/changes':
        this.changeRequests += 1;
        if (this.changeRequests % 3 === 2) {
          response.writeHead(503, { 'retry-after': '1' }).end();
        } else {
          sendJson(response, changesSince(Number(searchParams.get('since'))));
        }
        break;
      case '/customers':
        await delay(PAGE_DELAY_MS);
        sendJson(response, customersPage(Number(searchParams.get('page')), Number(searchParams.get('size'))));
        break;
      default:
        response.writeHead(404).end();
    }
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function changesSince(since: number): object {
  const now = Date.now();
  const through = Math.floor(now / 1_000);
  const from = Math.max(Math.floor(since / 1_000), through - CUSTOMERS) + 1;
  const seconds = Array.from({ length: Math.max(through - from + 1, 0) }, (_, index) => from + index);
  return {
    customers: seconds.map((second) => customer(second % CUSTOMERS, second)),
    readThrough: through * 1_000,
  };
}

function customersPage(page: number, size: number): object {
  const now = Math.floor(Date.now() / 1_000);
  const first = page * size;
  const ids = Array.from(
    { length: Math.max(Math.min(size, CUSTOMERS - first), 0) },
    (_, index) => first + index,
  );
  return {
    customers: ids.map((id) => customer(id, now - ((((now - id) % CUSTOMERS) + CUSTOMERS) % CUSTOMERS))),
    pages: Math.ceil(CUSTOMERS / size),
  };
}

/** A customer as of its latest change, at a second of Unix time. */
function customer(id: number, changedAtSecond: number): object {
  const revision = Math.floor(changedAtSecond / CUSTOMERS);
  return { id, name: `Customer ${id}, revision ${revision}`, changedAt: changedAtSecond * 1_000 };
}
