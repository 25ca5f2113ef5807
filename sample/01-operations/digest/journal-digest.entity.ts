import type { RunStatus } from 'nestjs-cron-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The failed and abandoned runs of one schedule. */
export interface FailureSummary {
  readonly scheduleName: string;
  readonly runs: number;
  readonly lastError: string | null;
}

/** What a day's journal amounts to. */
@Entity('journal_digest')
export class JournalDigest {
  /** End of the day, exclusive. */
  @PrimaryColumn('timestamptz')
  through!: Date;

  @Column('timestamptz')
  since!: Date;

  @Column('jsonb', { name: 'runs_by_status' })
  runsByStatus!: Partial<Record<RunStatus, number>>;

  @Column('integer', { name: 'missed_occurrences' })
  missedOccurrences!: number;

  @Column('jsonb')
  failures!: readonly FailureSummary[];

  @Column('timestamptz', { name: 'written_at' })
  writtenAt!: Date;
}
