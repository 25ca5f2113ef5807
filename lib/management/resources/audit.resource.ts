import { Injectable } from '@nestjs/common';
import { AUDIT_OUTCOMES, type AuditRecord } from '../../schedules/index.js';
import type { AuditSearch, AuditSortField } from '../../storage/index.js';
import type { auditSearchShape } from '../input/audit.shapes.js';
import type { Shaped } from '../input/field.js';
import type { PageRequest } from '../input/page-meta.js';
import { oneOf, searchable } from '../input/search-values.js';
import { pageAnswer, sliceOf, type PageAnswer } from './page-answer.js';
import { StoreReader } from '../../manager/index.js';

/** `sys/cron/audit`: who changed what, to read. */
@Injectable()
export class AuditResource {
  constructor(private readonly reader: StoreReader) {}

  async findPage(
    params: Shaped<typeof auditSearchShape>,
    page: PageRequest<AuditSortField>,
  ): Promise<PageAnswer<AuditRecord>> {
    const { outcome, ...exact } = searchable(params);
    const search: AuditSearch = { ...exact, ...oneOf('outcome', outcome, AUDIT_OUTCOMES) };
    return this.reader.read(async (storage, { executor }) =>
      pageAnswer(page, await storage.auditPages.find(executor, search, sliceOf(page))),
    );
  }
}
