import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditEntry } from '../../manager/index.js';
import type { Actor } from '../../schedules/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { Authentication } from '../access/authentication.js';
import { type HttpRequest, requestFactsOf } from '../http/http-request.js';
import { memberOf } from '../http/member-of.js';
import { MalformedRequestError, PermissionCheckFailedError } from '../management.errors.js';
import type { Operation } from '../operations/operation.js';
import { AnonymousAttempts } from './anonymous-attempts.js';
import { Arrivals } from './arrivals.js';
import type { ErrorAnswer } from './error-answer.js';

/** What went wrong with a request. */
export interface FailedRequest {
  readonly request: HttpRequest;
  /** What it asked for, as far as that can be told. */
  readonly operation: Operation | undefined;
  readonly error: unknown;
  readonly answer: ErrorAnswer;
}

/**
 * Puts on record what never reaches `ScheduleManager`, which records everything else: every denied attempt, also one
 * that the application's own guard denied, and malformed requests for a change.
 */
@Injectable()
export class AttemptRecorder {
  private readonly logger = new StoreLogger();

  constructor(
    private readonly trail: AuditTrail,
    private readonly anonymous: AnonymousAttempts,
    private readonly authentication: Authentication,
    private readonly arrivals: Arrivals,
  ) {}

  async record(failed: FailedRequest): Promise<void> {
    const { operation, request, answer } = failed;
    const outcome = outcomeOf(failed);
    if (operation === undefined || outcome === undefined) {
      return;
    }
    const actor = await this.actorOf(request);
    const params = memberOf(request.body, 'params');
    const entry: AuditEntry = {
      actor,
      request: requestFactsOf(request),
      resource: operation.resource,
      action: operation.action,
      target: textOf(memberOf(params, 'name')) ?? textOf(memberOf(params, 'id')),
      outcome,
      code: answer.code,
      params,
      elapsedMs: this.arrivals.elapsedMs(request),
    };
    await (actor === undefined ? this.anonymous : this.trail).record(entry);
  }

  private async actorOf(request: HttpRequest): Promise<Actor | undefined> {
    try {
      return await this.authentication.actorOf(request);
    } catch (error) {
      this.logger.error(`Who was denied could not be told: ${messageOf(error)}`, codeFacts(error), error);
      return undefined;
    }
  }
}

function outcomeOf({ operation, error, answer }: FailedRequest): AuditEntry['outcome'] | undefined {
  if (answer.status === 401 || answer.status === 403 || error instanceof PermissionCheckFailedError) {
    return 'denied';
  }
  return operation?.mutates && error instanceof MalformedRequestError ? 'failed' : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
