import { Column, PrimaryColumn } from 'typeorm';

export abstract class Versioned {
  @PrimaryColumn('text')
  id!: string;

  /** Counts the changes; the etag. */
  @Column('integer')
  revision!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}

export abstract class Owned extends Versioned {
  @Column('text', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;
}

/** Keys, applications and users: what requests come from. */
export abstract class Used extends Owned {
  @Column('text')
  status!: 'active' | 'inactive';

  /** Written by LastLogins only, so that a change of the record never sets it back. */
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true, update: false })
  lastUsedAt!: Date | null;
}
