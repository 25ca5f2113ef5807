import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How the database was doing at one occurrence. */
@Entity('database_vitals')
export class DatabaseVitals {
  /** The run's idempotency key: there cannot be two rows for one occurrence. */
  @PrimaryColumn('text')
  occurrence!: string;

  @Column('timestamptz', { name: 'taken_at' })
  takenAt!: Date;

  @Column('integer')
  connections!: number;

  /** A bigint, which the driver reads as a string; a database stays well below 2^53 bytes. */
  @Column('bigint', { name: 'database_bytes', transformer: { to: String, from: Number } })
  databaseBytes!: number;

  /** 0 to 1; null before anything was read. */
  @Column('double precision', { name: 'cache_hit_ratio', nullable: true })
  cacheHitRatio!: number | null;

  @Column('text', { name: 'node_id' })
  nodeId!: string;
}
