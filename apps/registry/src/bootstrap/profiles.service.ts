import { type Actor, type BootstrapProfileChanged, BootstrapProfiles } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import { hasRow, isForeignKeyViolation, type ListSpec, type ServiceError } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  DeviceNotFound,
  GroupNotFound,
  ProfileNameTaken,
  ProfileNotFound,
  ProfileTargetTaken,
  RawPublicKeysNeedDtls,
  TooManyProfiles,
} from '../errors.js';
import { lockedCount } from '../records/locked-count.js';
import { NamedRecords, type RecordChange } from '../records/named-records.js';
import { changeable, type NewProfile, Profile, profilesPerAccountMax } from './profile-fields.js';

const scopes = ['account', 'group', 'device'] as const;

export const profileListSpec: ListSpec = {
  filters: {
    id: 'text',
    scope: 'text',
    device_id: 'text',
    group_id: 'text',
    name: 'text',
    server_uri: 'text',
    short_server_id: 'number',
    created_at: 'date',
    updated_at: 'date',
  },
  sets: { scope: scopes },
};

type NewProfileTarget =
  { scope: 'account' } | { scope: 'group'; group_id: string } | { scope: 'device'; device_id: string };

const isOverTcp = (uri: string): boolean => /^coaps?\+tcp:/.test(uri);
const isOverDtls = (uri: string): boolean => uri.startsWith('coaps:');

/** What the profile leaves to the device is not announced. */
const settingsOf = (profile: Profile): Partial<BootstrapProfileChanged> => {
  const settings = {
    defaultMinPeriodSeconds: profile.default_min_period_seconds,
    defaultMaxPeriodSeconds: profile.default_max_period_seconds,
    disableTimeoutSeconds: profile.disable_timeout_seconds,
    initialRegistrationDelaySeconds: profile.initial_registration_delay_seconds,
    bootstrapOnRegistrationFailure: profile.bootstrap_on_registration_failure,
    communicationRetryCount: profile.communication_retry_count,
    communicationRetrySeconds: profile.communication_retry_seconds,
    communicationSequenceDelaySeconds: profile.communication_sequence_delay_seconds,
    communicationSequenceRetryCount: profile.communication_sequence_retry_count,
    preferredTransport: profile.preferred_transport,
    muteSend: profile.mute_send,
    confirmableNotifications: profile.confirmable_notifications,
  };
  const given = Object.entries(settings).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Partial<BootstrapProfileChanged>;
};

const announcementOf = (profile: Profile): BootstrapProfileChanged => ({
  profileId: profile.id,
  accountId: profile.account_id,
  ...(profile.device_id !== null && { deviceId: profile.device_id }),
  ...(profile.group_id !== null && { groupId: profile.group_id }),
  serverUri: profile.server_uri,
  shortServerId: profile.short_server_id,
  securityMode: profile.security_mode,
  lifetimeSeconds: profile.lifetime_seconds,
  binding: profile.binding,
  notificationStoring: profile.notification_storing,
  ...settingsOf(profile),
  deletePaths: profile.delete_paths,
  changedAt: profile.updated_at,
});

/** Bootstrap profiles: the server accounts that devices get when they bootstrap (docs/adr/0025). */
@Injectable()
export class ProfilesService extends NamedRecords<Profile> {
  constructor(
    database: DataSource,
    audit: AuditTrail,
    private readonly outbox: Outbox,
  ) {
    super(database, audit, {
      object: 'bootstrap-profile',
      schema: Profile,
      table: 'bootstrap_profiles',
      expressions: { security_mode: `CASE WHEN t.server_uri LIKE 'coaps%' THEN t.credential_kind ELSE 'none' END` },
      changeable,
      notFound: () => new ProfileNotFound(),
      nameTaken: (index) => (index === 'bootstrap_profiles_target' ? new ProfileTargetTaken() : new ProfileNameTaken()),
      actions: { created: 'SYS_565', changed: 'SYS_566', deleted: 'SYS_567' },
      onChange: (manager, change, profile, actor) => this.announce(manager, change, profile, actor),
    });
  }

  /**
   * Throws ProfileNameTaken, ProfileTargetTaken, TooManyProfiles, RawPublicKeysNeedDtls, DeviceNotFound,
   * GroupNotFound.
   */
  override async create(actor: Actor, { binding, description, ...wanted }: NewProfile): Promise<Profile> {
    const missing = (): ServiceError => (wanted.scope === 'group' ? new GroupNotFound() : new DeviceNotFound());
    if (!(await this.hasTarget(actor.accountId, wanted))) throw missing();
    try {
      return await super.create(actor, {
        ...wanted,
        description: description ?? '',
        binding: binding ?? (isOverTcp(wanted.server_uri) ? 'T' : 'U'),
      });
    } catch (error) {
      // Its target was deleted a moment ago.
      throw isForeignKeyViolation(error) ? missing() : error;
    }
  }

  private async hasTarget(accountId: string, wanted: NewProfileTarget): Promise<boolean> {
    if (wanted.scope === 'account') return true;
    const [table, id] = wanted.scope === 'group' ? ['device_groups', wanted.group_id] : ['devices', wanted.device_id];
    return hasRow(this.database, `SELECT FROM registry.${table} WHERE id = $1 AND account_id = $2`, [id, accountId]);
  }

  /** Throws RawPublicKeysNeedDtls, and TooManyProfiles if the profile that was just created is one too many. */
  private async announce(
    manager: EntityManager,
    change: RecordChange,
    profile: Profile,
    { requestId }: Actor,
  ): Promise<void> {
    causedBy(manager, requestId);
    if (change === 'deleted') return this.outbox.appendTombstone(manager, BootstrapProfiles, profile.id);
    if (profile.credential_kind === 'raw_public_key' && !isOverDtls(profile.server_uri))
      throw new RawPublicKeysNeedDtls();
    const isOneMore = change === 'created';
    if (isOneMore && (await lockedCount(manager, 'bootstrap_profiles', profile.account_id)) > profilesPerAccountMax)
      throw new TooManyProfiles(profilesPerAccountMax);
    await this.outbox.append(manager, BootstrapProfiles, announcementOf(profile));
  }
}
