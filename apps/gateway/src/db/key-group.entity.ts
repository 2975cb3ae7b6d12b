import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { GroupKind, Permission } from '../permissions.js';

/** A key group: keys have the privileges of their groups (spec §2.11). */
@Entity({ name: 'key_groups' })
export class KeyGroup {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  /** Unique in the account. */
  @Column('text')
  name: string;

  @Column('text')
  kind: GroupKind;

  /** Null: the permissions of its kind. Only custom groups have their own. */
  @Column('text', { array: true, nullable: true })
  permissions: Permission[] | null;

  @Column('integer')
  revision: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
