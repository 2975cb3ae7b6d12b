import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret of an application, which has at most two. Contains the hash, never the secret. */
@Entity({ name: 'access_keys' })
export class AccessKey {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text', { name: 'application_id' })
  applicationId: string;

  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('text')
  hash: string;

  @Column('text')
  status: 'active' | 'inactive';

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** Whether its end was announced; see KeySweeper. */
  @Column('boolean', { name: 'expiry_announced' })
  expiryAnnounced: boolean;

  @Column('integer')
  revision: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;

  /** Written by LastLogins only. */
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true, update: false })
  lastUsedAt: Date | null;
}
