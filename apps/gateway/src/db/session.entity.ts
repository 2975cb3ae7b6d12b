import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser that is signed in. Contains the hash of the cookie, never the cookie. */
@Entity({ name: 'sessions' })
export class Session {
  /** SHA-256 of the cookie. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text', { name: 'account_id' })
  accountId!: string;

  /** The API key, application or user whose permissions the session has. */
  @Column('text', { name: 'holder_id' })
  principalId!: string;

  /** Hash of the secret that the session was opened with, or the user's hash: the session ends with it. */
  @Column('text', { name: 'secret_hash' })
  secretHash!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Accurate to a minute; see Sessions. */
  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** The refresh token of the OpenID provider, sealed with a key that is derived from the cookie. */
  @Column('text', { name: 'refresh_token', nullable: true })
  refreshToken!: string | null;

  /** When the provider has to be asked whether the person is still signed in; null: never. */
  @Column('timestamptz', { name: 'refresh_at', nullable: true })
  refreshAt!: Date | null;
}
