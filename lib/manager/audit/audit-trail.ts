import { Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import {
  definedFields,
  type Actor,
  type AuditOutcome,
  type AuditRecord,
  type RequestFacts,
} from '../../schedules/index.js';
import { CRON_STORE_STORAGE, mintId, type Storage, type Transaction } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { Redaction } from './redaction.js';

/** What is put on record. */
export interface AuditEntry {
  readonly actor?: Actor | undefined;
  readonly request?: RequestFacts | undefined;
  readonly resource: string;
  readonly action: string;
  /** The name of the schedule, as it was addressed. */
  readonly target?: string | undefined;
  readonly outcome: AuditOutcome;
  /** 0 on success, else the code of the error. */
  readonly code: number;
  /** How many attempts the entry stands for. Default 1. */
  readonly attempts?: number | undefined;
  readonly params?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly elapsedMs: number;
}

/** Names and texts from outside are kept up to this length. */
const MAX_TEXT_LENGTH = 512;

/**
 * The audit trail. The record of a change is written in the change's own transaction: both are there or neither. An
 * attempt that changed nothing is recorded on its own, as well as the database allows.
 */
@Injectable()
export class AuditTrail {
  private readonly logger = new StoreLogger();
  private readonly redaction: Redaction;

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_OPTIONS) options: ResolvedOptions,
  ) {
    this.redaction = new Redaction(options.auditRedact);
  }

  /** Records a change in its transaction, which fails when this does. */
  async recordChange(
    storage: Storage,
    { executor, nowUnixMs }: Transaction,
    entry: AuditEntry,
  ): Promise<void> {
    await storage.audit.add(executor, this.toRecord(entry, nowUnixMs));
  }

  /** Records an attempt that changed nothing. Never rejects: what cannot be recorded is logged. */
  async record(entry: AuditEntry): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    try {
      await storage.connections.transaction('manager', (transaction) =>
        this.recordChange(storage, transaction, entry),
      );
    } catch (error) {
      this.logger.error(
        `An attempt could not be audited (${entry.resource} ${entry.action} by ${entry.actor?.id ?? 'nobody'}: ${entry.outcome}, ${entry.code}): ${messageOf(error)}`,
        codeFacts(error),
      );
    }
  }

  private toRecord(entry: AuditEntry, atUnixMs: number): AuditRecord {
    const { actor, request = {} } = entry;
    return definedFields({
      id: mintId(atUnixMs),
      atUnixMs,
      actorId: text(actor?.id),
      actorName: text(actor?.name),
      resource: entry.resource,
      action: entry.action,
      target: text(entry.target),
      outcome: entry.outcome,
      code: entry.code,
      attempts: entry.attempts ?? 1,
      requestId: text(request.requestId),
      ip: text(request.ip),
      userAgent: text(request.userAgent),
      params: this.redaction.copyOf(entry.params),
      before: this.redaction.copyOf(entry.before),
      after: this.redaction.copyOf(entry.after),
      elapsedMs: Math.round(entry.elapsedMs),
    });
  }
}

/** Bounded, and without NUL, which no text column takes. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}').slice(0, MAX_TEXT_LENGTH) : undefined;
}
