import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelKind } from '../channel-kind.js';
import type { Serialization } from './serialization.js';
import type { KeySeen, ChannelHealth, StopReason } from './channel-health.js';

/** The notification channel of a key: at most one (spec §2.10). Its queue is in Redis. */
@Entity('channels')
export class Channel implements ChannelHealth {
  @PrimaryColumn({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  kind!: ChannelKind;

  /** URL and headers of a callback, sealed: headers hold customers' credentials. */
  @Column({ type: 'text', nullable: true })
  target!: string | null;

  @Column({ type: 'jsonb' })
  serialization!: Serialization;

  /** The tier at the time when the channel was registered (spec §8, account upgrade). */
  @Column({ type: 'text' })
  tier!: 'free' | 'commercial';

  /** Grows with every change of any channel. */
  @Column({ type: 'bigint' })
  revision!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** For a callback: the fingerprint of the secret with which it was registered. */
  @Column({ name: 'registered_with', type: 'text', nullable: true })
  registeredWith!: string | null;

  /** For a callback: the latest state of its key that any replica has read. */
  @Column({ name: 'key_seen', type: 'jsonb', nullable: true })
  keySeen!: KeySeen | null;

  /** Why nothing is delivered to the callback. */
  @Column({ type: 'text', nullable: true })
  stopped!: StopReason | null;

  @Column({ name: 'stopped_at', type: 'timestamptz', precision: 3, nullable: true })
  stoppedAt!: Date | null;
}
