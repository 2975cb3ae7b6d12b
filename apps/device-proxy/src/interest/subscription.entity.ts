import { Column, Entity, PrimaryColumn } from 'typeorm';

export type SubscriptionOrigin = 'resource' | 'presubscription';

/** The subscription of one key to one path of one device. */
@Entity({ name: 'subscriptions' })
export class Subscription {
  @PrimaryColumn('text', { name: 'device_id' })
  deviceId!: string;

  @PrimaryColumn('text')
  path!: string;

  @PrimaryColumn('text', { name: 'key_id' })
  keyId!: string;

  @Column('text', { name: 'account_id' })
  accountId!: string;

  /** `resource`: created by a request (spec §4.4); `presubscription`: a rule matched the device. */
  @Column('text')
  origin!: SubscriptionOrigin;

  /** `confirmed`: the device reports the path. */
  @Column('text')
  status!: 'asked' | 'confirmed';

  /** For a composite observation: the id of its command, the same for each of its paths. Otherwise null. */
  @Column('text', { nullable: true })
  together!: string | null;

  /** Attributes of the observation, as the query of its URI. */
  @Column('text', { nullable: true })
  attributes!: string | null;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;
}

/** A rule asks for it, and its key has had no value yet. */
export const isAskedByRule = ({ origin, status }: Pick<Subscription, 'origin' | 'status'>): boolean =>
  origin === 'presubscription' && status === 'asked';
