import type { ValueHistory } from '@lanyard/contracts';
import { Column, Entity } from 'typeorm';
import { Versioned } from './versioned.entity.js';

/** Quotas; an absent one is unlimited. */
export interface AccountLimits {
  devices?: number;
  api_keys?: number;
  /** If absent, the tier decides. */
  applications?: number;
  /** Shared by all keys of the account. */
  requests_per_second?: number;
}

/** Details that an account provides about itself; nothing depends on them. */
export interface AccountProfile {
  contact?: string;
  phone_number?: string;
  address_line1?: string;
  address_line2?: string;
  city?: string;
  state?: string;
  postal_code?: string;
  country?: string;
  notification_emails?: string[];
  custom_fields?: Record<string, string>;
}

/** A customer: owns keys, devices and channels. */
@Entity({ name: 'accounts' })
export class Account extends Versioned {
  @Column('text', { name: 'display_name' })
  displayName!: string;

  /** Decides the retry count of callback channels (spec §8). */
  @Column('text')
  tier!: 'free' | 'commercial';

  /** The account of the installation has none: its administrators manage all accounts. */
  @Column('text', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  company!: string | null;

  @Column('jsonb')
  limits!: AccountLimits;

  @Column('jsonb')
  profile!: AccountProfile;

  @Column('text')
  status!: 'active' | 'suspended';

  @Column('boolean', { name: 'auto_create_devices' })
  autoCreateDevices!: boolean;

  /** `PUT /v2/subscriptions` answers 204 instead of 202. */
  @Column('boolean', { name: 'presubscriptions_no_content' })
  presubscriptionsNoContent!: boolean;

  /** null: the default. */
  @Column('jsonb', { name: 'value_history', nullable: true })
  valueHistory!: ValueHistory | null;
}
