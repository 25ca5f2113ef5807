import { everyWordOf } from '../every-word-of.js';
import type { JsonValue } from './schedule.js';

/** Who does something. */
export interface Actor {
  /** Stable identity, 1–200 characters. */
  readonly id: string;
  /** What people call them, at most 200 characters. */
  readonly name?: string | undefined;
}

/** Who does whatever nobody in particular asks for. */
export const SYSTEM_ACTOR: Actor = { id: 'system' };

/** The request in which something is done, for the audit trail. */
export interface RequestFacts {
  /** What the request is called in logs, such as the header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** The address that it came from. */
  readonly ip?: string | undefined;
  /** The header `user-agent`. */
  readonly userAgent?: string | undefined;
}

/** How an attempt to change something ended. A `denied` one was refused for who made it. */
export type AuditOutcome = 'success' | 'failed' | 'denied';

/** Every audit outcome. */
export const AUDIT_OUTCOMES = everyWordOf<AuditOutcome>({ success: true, failed: true, denied: true });

/** One record of the audit trail. */
export interface AuditRecord {
  readonly id: string;
  readonly atUnixMs: number;
  /** Absent for attempts of nobody in particular. */
  readonly actorId?: string;
  readonly actorName?: string;
  /** What was acted on, such as `sys/cron/schedule`. */
  readonly resource: string;
  /** What was attempted, such as `update`. */
  readonly action: string;
  /** The schedule's name, as it was addressed. */
  readonly target?: string;
  readonly outcome: AuditOutcome;
  /** 0 on success, else the code of the error. */
  readonly code: number;
  /** How many attempts the record stands for: 1, or more where anonymous attempts were aggregated. */
  readonly attempts: number;
  readonly requestId?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  /** What was asked for, with secrets redacted. */
  readonly params?: JsonValue;
  /** The schedule before and after the change, with secrets redacted. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly elapsedMs: number;
}
