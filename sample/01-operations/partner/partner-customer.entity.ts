import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer as the partner knows it. */
@Entity('partner_customer')
export class PartnerCustomer {
  @PrimaryColumn('integer')
  id!: number;

  @Column('text')
  name!: string;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;
}
