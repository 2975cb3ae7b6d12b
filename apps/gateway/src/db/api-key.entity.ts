import { Column, Entity, JoinTable, ManyToMany, type Relation } from 'typeorm';
import { Owned } from './versioned.entity.js';
import { KeyGroup } from './key-group.entity.js';

/** The credential of one application instance (spec §5). Contains the hash of the secret, never the secret. */
@Entity({ name: 'api_keys' })
export class ApiKey extends Owned {
  @Column('text', { nullable: true })
  owner!: string | null;

  @Column('text')
  hash!: string;

  /** During the overlap of a rotation: the hash of the previous secret. */
  @Column('text', { name: 'previous_hash', nullable: true })
  previousHash!: string | null;

  /** The end of the overlap, until which the previous secret is valid. */
  @Column('timestamptz', { name: 'previous_until', nullable: true })
  previousUntil!: Date | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** Whether the end of the key was announced; see KeySweeper. */
  @Column('boolean', { name: 'expiry_announced' })
  expiryAnnounced!: boolean;

  /** Ids of the device groups that the key is limited to; null: all devices. */
  @Column('text', { name: 'device_groups', array: true, nullable: true })
  deviceGroups!: string[] | null;

  /** Networks (CIDR) that the key may be used from; null: any. */
  @Column('text', { name: 'source_addresses', array: true, nullable: true })
  sourceAddresses!: string[] | null;

  @Column('text')
  status!: 'active' | 'inactive';

  /** Written by LastLogins only, so that a change of the key never sets it back. */
  @Column({ type: 'timestamptz', name: 'last_login_at', nullable: true, update: false })
  lastLoginAt!: Date | null;

  @ManyToMany(() => KeyGroup)
  @JoinTable({
    name: 'api_key_groups',
    joinColumn: { name: 'key_id', referencedColumnName: 'id' },
    inverseJoinColumn: { name: 'group_id', referencedColumnName: 'id' },
  })
  groups!: Relation<KeyGroup>[];
}
