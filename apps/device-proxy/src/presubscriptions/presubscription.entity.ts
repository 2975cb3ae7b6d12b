import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PresubscriptionRule } from './rule.js';

/** The rules of one key: PUT replaces all of them. */
@Entity({ name: 'presubscription' })
export class Presubscription {
  @PrimaryColumn('text', { name: 'key_id' })
  keyId: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('jsonb')
  rules: PresubscriptionRule[];

  @Column('timestamptz', { name: 'changed_at' })
  changedAt: Date;
}
