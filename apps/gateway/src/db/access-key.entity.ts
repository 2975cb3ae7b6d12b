import { Column, Entity } from 'typeorm';
import { Used } from './versioned.entity.js';

/** A secret of an application, which has at most two. Contains the hash, never the secret. */
@Entity({ name: 'access_keys' })
export class AccessKey extends Used {
  @Column('text', { name: 'application_id' })
  applicationId!: string;

  @Column('text')
  description!: string;

  @Column('text')
  hash!: string;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** Whether its end was announced; see KeySweeper. */
  @Column('boolean', { name: 'expiry_announced' })
  expiryAnnounced!: boolean;
}
