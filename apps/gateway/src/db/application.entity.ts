import { Column, Entity, JoinTable, ManyToMany, PrimaryColumn, type Relation } from 'typeorm';
import { KeyGroup } from './key-group.entity.js';

/** An application of a customer. Its access keys are its secrets and share its channel and subscriptions. */
@Entity({ name: 'applications' })
export class Application {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('text')
  status: 'active' | 'inactive';

  @Column('integer')
  revision: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;

  /** Written by LastLogins only. */
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true, update: false })
  lastUsedAt: Date | null;

  @ManyToMany(() => KeyGroup)
  @JoinTable({
    name: 'application_groups',
    joinColumn: { name: 'application_id', referencedColumnName: 'id' },
    inverseJoinColumn: { name: 'group_id', referencedColumnName: 'id' },
  })
  groups: Relation<KeyGroup>[];
}
