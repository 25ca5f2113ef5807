import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far a feed of the partner's was read. */
@Entity('partner_feed')
export class PartnerFeed {
  @PrimaryColumn('text')
  feed!: string;

  @Column('timestamptz', { name: 'read_through' })
  readThrough!: Date;
}
