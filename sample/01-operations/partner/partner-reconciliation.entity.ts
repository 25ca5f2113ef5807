import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The progress of one reconciliation, whichever attempt made it. */
@Entity('partner_reconciliation')
export class PartnerReconciliation {
  /** The run's idempotency key, which every attempt of one occurrence shares. */
  @PrimaryColumn('text')
  occurrence!: string;

  @Column('timestamptz', { name: 'scheduled_at' })
  scheduledAt!: Date;

  @Column('integer', { name: 'pages_done' })
  pagesDone!: number;

  /** Null until the partner has said. */
  @Column('integer', { name: 'pages_total', nullable: true })
  pagesTotal!: number | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
