import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('session')
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'user_name' })
  userName!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
