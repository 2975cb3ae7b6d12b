import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PresubscriptionRule } from './rule.js';

/** The rules of one key, which PUT replaces. */
@Entity({ name: 'presubscriptions' })
export class Presubscription {
  @PrimaryColumn('text', { name: 'key_id' })
  keyId!: string;

  @Column('text', { name: 'account_id' })
  accountId!: string;

  @Column('jsonb')
  rules!: PresubscriptionRule[];

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;
}
