import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { cron, every, Execution, JobHandler } from 'nestjs-cron-store';
import type { Repository } from 'typeorm';
import { PurgeParams } from './purge-params.js';
import { Session } from './session.entity.js';

const USERS = ['ann', 'bo', 'chen', 'dewi', 'emre'];
const SESSION_LIFETIME_MS = 45_000;

@Injectable()
export class SessionsService {
  private readonly logger = new Logger('Sessions');

  constructor(@InjectRepository(Session) private readonly sessions: Repository<Session>) {}

  /** The visitors of this sample: everybody signs in again and again. */
  @JobHandler({ name: 'sign-ins', defaultSchedule: { trigger: every('15s'), misfirePolicy: 'skip' } })
  async signIn(): Promise<void> {
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + SESSION_LIFETIME_MS);
    await this.sessions.insert(
      USERS.map((userName) => ({ id: randomUUID(), userName, createdAt, expiresAt })),
    );
  }

  /** Deletes in batches until nothing is left to delete, or the run should stop: the next one goes on. */
  @JobHandler({
    name: 'purge-expired-sessions',
    params: PurgeParams,
    defaultSchedule: { trigger: cron('*/30 * * * * *'), params: { keepForSeconds: 10, batchSize: 5 } },
  })
  async purgeExpired({ params, signal }: Execution<PurgeParams>): Promise<void> {
    const expiredBefore = new Date(Date.now() - params.keepForSeconds * 1_000);
    let purged = 0;
    let batch = 0;
    do {
      signal.throwIfAborted();
      batch = await this.purgeBatch(expiredBefore, params.batchSize);
      purged += batch;
    } while (batch === params.batchSize);
    this.logger.log(`Purged ${purged} expired sessions.`);
  }

  private async purgeBatch(expiredBefore: Date, size: number): Promise<number> {
    const batch = this.sessions
      .createQueryBuilder()
      .subQuery()
      .select('expired.id')
      .from(Session, 'expired')
      .where('expired.expires_at < :expiredBefore')
      .limit(size);
    const { affected } = await this.sessions
      .createQueryBuilder()
      .delete()
      .where(`id in ${batch.getQuery()}`, { expiredBefore })
      .execute();
    return affected ?? 0;
  }
}
