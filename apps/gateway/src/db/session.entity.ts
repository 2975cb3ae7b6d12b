import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser that is signed in. Contains the hash of the cookie, never the cookie. */
@Entity({ name: 'sessions' })
export class Session {
  /** SHA-256 of the cookie. */
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  /** The API key or application whose permissions the session has. */
  @Column('text', { name: 'holder_id' })
  holderId: string;

  /** Hash of the secret that it was opened with: the session ends with it. */
  @Column('text', { name: 'secret_hash' })
  secretHash: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** To the minute; see Sessions. */
  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
