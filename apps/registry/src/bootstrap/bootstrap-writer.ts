import {
  type BootstrapFailure,
  type DeviceBootstrapChanged,
  DeviceCredentials,
  DeviceEvents,
} from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, columnsOf, CONFIG, newId, returning } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RegistryConfig } from '../config.js';
import { announcedColumns, type AnnouncedRow, announcementOf } from '../credentials/credential-announcement.js';
import { newSealedKey } from '../credentials/pre-shared-key.js';
import { bootstrapExpiryMs } from './limits.js';

/** A bootstrap that starts or ends with the current facts. `data`: of its entry in the event log. */
interface Bootstrap {
  id: string;
  account_id: string;
  device_id: string;
  data: Record<string, string>;
}

const bootstrapColumns = 'id, account_id, device_id, data';

// Only bootstraps of devices that exist are stored. A start that was stored before is read again, and ignored. The
// delay of the profile postpones the expiry, because the device uses its credential only after this delay.
const startSql = `
  INSERT INTO registry.bootstraps (id, account_id, device_id, data, expires_at)
  SELECT f.id, f.account, f.device, f.data || jsonb_strip_nulls(jsonb_build_object('endpoint_name', d.endpoint_name)),
    now() + make_interval(secs => ${bootstrapExpiryMs / 1_000} + coalesce(p.initial_registration_delay_seconds, 0))
  FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) AS f (id, account, device, data)
  JOIN registry.devices d ON d.id = f.device AND d.account_id = f.account
  LEFT JOIN registry.bootstrap_profiles p ON p.id = f.data ->> 'profile_id' AND p.account_id = f.account
  ON CONFLICT DO NOTHING RETURNING ${bootstrapColumns}`;

const supersedeSql = `
  UPDATE registry.bootstraps SET state = 'failed', ended_at = now()
  WHERE device_id = ANY($1) AND state = 'started' AND id <> ALL($2) RETURNING ${bootstrapColumns}`;

const endSql = `
  UPDATE registry.bootstraps SET state = $2, ended_at = now()
  WHERE id = ANY($1) AND state = 'started' RETURNING ${bootstrapColumns}`;

const createSql = `
  INSERT INTO registry.device_credentials
    (id, account_id, device_id, kind, bootstrapped, provisional, identity, sealed_key, fingerprint)
  SELECT id, account, device, kind, true, true, identity, key, fingerprint
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS c (id, account, device, kind, identity, key, fingerprint)
  RETURNING ${announcedColumns}`;

const lockCredentialsSql = `
  SELECT 1 FROM registry.device_credentials WHERE device_id = ANY($1) AND bootstrapped ORDER BY id FOR UPDATE`;

const confirmSql = `
  UPDATE registry.device_credentials SET provisional = false WHERE id = ANY($1) AND provisional
  RETURNING ${announcedColumns}`;

const replaceSql = `
  DELETE FROM registry.device_credentials WHERE device_id = ANY($1) AND bootstrapped AND id <> ALL($2) RETURNING id`;

const withdrawSql = `
  DELETE FROM registry.device_credentials WHERE id = ANY($1) AND provisional RETURNING id`;

// The device may have registered already: its sessions are announced on another topic.
const deviceSql = `
  UPDATE registry.devices d SET bootstrapped_timestamp = f.at,
    state = CASE WHEN d.state = 'registered' THEN d.state ELSE 'bootstrapped' END
  FROM unnest($1::text[], $2::timestamptz[]) AS f (id, at) WHERE d.id = f.id`;

/** Facts of one device are written one after the other, those of different devices together. */
const roundsOf = (facts: readonly DeviceBootstrapChanged[]): DeviceBootstrapChanged[][] => {
  const rounds: DeviceBootstrapChanged[][] = [];
  const counts = new Map<string, number>();
  for (const fact of facts) {
    const round = counts.get(fact.deviceId) ?? 0;
    counts.set(fact.deviceId, round + 1);
    (rounds[round] ??= []).push(fact);
  }
  return rounds;
};

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const devicesOf = (bootstraps: readonly Bootstrap[]): string[] => bootstraps.map((one) => one.device_id);

/** Text values, as the event log has them; absent ones are left out. */
const dataOf = (fact: DeviceBootstrapChanged): Record<string, string> => {
  const { bootstrapId, profileId, interface: how, serverUri, shortServerId, address, credential } = fact;
  const all = {
    bootstrap_id: bootstrapId,
    profile_id: profileId,
    interface: how,
    server_uri: serverUri,
    short_server_id: shortServerId,
    credential_id: credential && bootstrapId,
    address,
  };
  return Object.fromEntries(Object.entries(all).flatMap(([k, v]) => (v === undefined ? [] : [[k, String(v)]])));
};

type Failure = Partial<Pick<DeviceBootstrapChanged, 'failure' | 'detail' | 'occurredAt'>>;

const failureText = (failure: BootstrapFailure, detail?: string): string =>
  `Device not bootstrapped: ${failure}${detail === undefined ? '' : ` (${detail})`}`;

/**
 * Stores starts and ends of bootstraps (docs/adr/0025). A start creates the credential of the bootstrap, and fails an
 * earlier bootstrap of the device that has not ended. A success confirms the credential, and withdraws that of the
 * previous bootstrap; a failure withdraws the credential. The success or failure is recorded in the event log in the
 * same transaction. Facts may be repeated.
 */
@Injectable()
export class BootstrapWriter {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: RegistryConfig,
  ) {}

  async apply(facts: readonly DeviceBootstrapChanged[]): Promise<void> {
    for (const round of roundsOf(facts)) await this.database.transaction((manager) => this.applyRound(manager, round));
  }

  private async applyRound(manager: EntityManager, facts: readonly DeviceBootstrapChanged[]): Promise<void> {
    const deviceIds = facts.map(({ deviceId }) => deviceId);
    // Locked in one order, because other transactions lock several devices too, and `reencrypt` locks credentials without devices.
    await manager.query('SELECT 1 FROM registry.devices WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE', [deviceIds]);
    await manager.query(lockCredentialsSql, [deviceIds]);
    const of = (change: DeviceBootstrapChanged['change']): DeviceBootstrapChanged[] =>
      facts.filter((fact) => fact.change === change);
    await this.start(manager, of('started'));
    await this.succeed(manager, of('bootstrapped'));
    await this.fail(manager, of('failed'));
  }

  private async start(manager: EntityManager, facts: readonly DeviceBootstrapChanged[]): Promise<void> {
    if (facts.length === 0) return;
    const rows = facts.map((fact) => [fact.bootstrapId, fact.accountId, fact.deviceId, JSON.stringify(dataOf(fact))]);
    const started = await manager.query<Bootstrap[]>(startSql, columnsOf(rows));
    if (started.length === 0) return;
    const superseded = await returning<Bootstrap>(manager, supersedeSql, [devicesOf(started), idsOf(started)]);
    const factsByDevice = new Map(facts.map((fact) => [fact.deviceId, fact]));
    await this.withdraw(manager, superseded);
    for (const one of superseded)
      await this.announceFailure(manager, one, {
        failure: 'superseded',
        occurredAt: factsByDevice.get(one.device_id)?.occurredAt,
      });
    await this.create(manager, started, new Map(facts.map((fact) => [fact.bootstrapId, fact])));
  }

  /**
   * A pre-shared key leaves this process sealed only: the device-proxy opens it for the device. A private key never gets
   * here: the device-proxy creates it, and announces the fingerprint of its public key.
   */
  private async create(
    manager: EntityManager,
    bootstraps: readonly Bootstrap[],
    facts: ReadonlyMap<string, DeviceBootstrapChanged>,
  ): Promise<void> {
    const { encryptionKey } = this.config.secrets;
    const rows = bootstraps.flatMap(({ id, account_id: accountId, device_id: deviceId }) => {
      const { credential, fingerprint } = facts.get(id) ?? {};
      if (!credential) return [];
      const proof = credential === 'psk' ? [newId(), newSealedKey(encryptionKey), null] : [null, null, fingerprint];
      return [[id, accountId, deviceId, credential, ...proof]];
    });
    if (rows.length > 0) await this.announce(manager, await manager.query(createSql, columnsOf(rows)));
  }

  private async succeed(manager: EntityManager, facts: readonly DeviceBootstrapChanged[]): Promise<void> {
    const ended = await this.endBootstraps(manager, facts, 'bootstrapped');
    if (ended.length === 0) return;
    const times = new Map(facts.map(({ bootstrapId, occurredAt }) => [bootstrapId, occurredAt]));
    await this.announce(manager, await returning(manager, confirmSql, [idsOf(ended)]));
    await this.withdrawCredentials(manager, replaceSql, [devicesOf(ended), idsOf(ended)]);
    await manager.query(deviceSql, columnsOf(ended.map((one) => [one.device_id, times.get(one.id)])));
    for (const { id, account_id: accountId, device_id: deviceId, data } of ended)
      await this.outbox.append(manager, DeviceEvents, {
        eventId: id,
        accountId,
        deviceId,
        eventCode: 'SYS_107',
        stateChange: true,
        data,
        occurredAt: times.get(id) ?? this.now(),
      });
  }

  private async fail(manager: EntityManager, facts: readonly DeviceBootstrapChanged[]): Promise<void> {
    const ended = await this.endBootstraps(manager, facts, 'failed');
    await this.withdraw(manager, ended);
    const reasons = new Map(facts.map((fact) => [fact.bootstrapId, fact]));
    for (const one of ended) await this.announceFailure(manager, one, reasons.get(one.id));
  }

  /** Ends the bootstraps that had not ended, and returns these. */
  private async endBootstraps(
    manager: EntityManager,
    facts: readonly DeviceBootstrapChanged[],
    state: 'bootstrapped' | 'failed',
  ): Promise<Bootstrap[]> {
    if (facts.length === 0) return [];
    const ids = facts.map(({ bootstrapId }) => bootstrapId);
    return returning(manager, endSql, [ids, state]);
  }

  private async withdraw(manager: EntityManager, bootstraps: readonly Bootstrap[]): Promise<void> {
    if (bootstraps.length === 0) return;
    await this.withdrawCredentials(manager, withdrawSql, [idsOf(bootstraps)]);
  }

  private async withdrawCredentials(manager: EntityManager, sql: string, parameters: unknown[]): Promise<void> {
    for (const { id } of await returning<{ id: string }>(manager, sql, parameters))
      await this.outbox.appendTombstone(manager, DeviceCredentials, id);
  }

  private async announce(manager: EntityManager, rows: readonly AnnouncedRow[]): Promise<void> {
    await this.outbox.appendAll(manager, DeviceCredentials, rows.map(announcementOf));
  }

  private async announceFailure(
    manager: EntityManager,
    { id, account_id: accountId, device_id: deviceId, data }: Bootstrap,
    { failure = 'expired', detail, occurredAt = this.now() }: Failure = {},
  ): Promise<void> {
    await this.outbox.append(manager, DeviceEvents, {
      eventId: id,
      accountId,
      deviceId,
      eventCode: 'SYS_402',
      description: failureText(failure, detail),
      data: { ...data, failure, ...(detail !== undefined && { detail }) },
      occurredAt,
    });
  }

  private now(): string {
    return new Date(this.clock.now()).toISOString();
  }
}
