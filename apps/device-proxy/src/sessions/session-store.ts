import { CONFIG, REDIS, type RedisClient } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { paceMs } from '../db/pace.js';
import { addressField, registrationField, sessionKeys, type SessionKeys, tokenField } from './keys.js';
import { loadScripts } from './scripts.js';
import { listings } from './listings.js';
import { readObserveSequences } from './observe-sequence.js';
import { type Observation, targetKey } from './observations.js';
import type { EndReason } from './session-facts.js';
import type { RegistrationData, StoredSession } from './session.js';

export interface NewSession {
  deviceId: string;
  registrationId: string;
  accountId: string;
  address: string;
  nowMs: number;
  expiresAtMs: number;
  data: RegistrationData;
}

/** A device whose address now belongs to another one. */
export interface Displaced {
  deviceId: string;
  /** The new epoch of its session, which no replica has. */
  epoch: number;
  /** The replica that had its session. */
  owner: string;
}

export interface Opened {
  epoch: number;
  /** The replica that owned the session that was replaced, or ''. */
  previousOwner: string;
  displaced: Displaced | undefined;
  hasDevicesBehind: boolean;
}

export interface TakeOver {
  session: StoredSession;
  /** The replica that owned the session before; it holds a copy that is now stale. */
  previousOwner: string;
  /** Another device has its address: nothing may be sent there for this one. */
  isElsewhere: boolean;
  previousAddress: string;
  displaced: Displaced | undefined;
  hasDevicesBehind: boolean;
}

/** A session whose end was claimed. */
export interface Ending {
  session: StoredSession;
  /** The replica that owned the session. */
  owner: string;
  reason: EndReason;
  /** The time that the first claim named. */
  endedAtMs: number;
}

/** `occupied`: another device has the address, nothing was written. undefined: this replica has lost the session. */
export type Updated = { displaced: Displaced | undefined } | 'occupied' | undefined;

const displacedOf = ([deviceId, epoch, owner]: readonly (string | number)[]): Displaced | undefined =>
  deviceId ? { deviceId: String(deviceId), epoch: Number(epoch), owner: String(owner) } : undefined;

/** Whether devices behind it have sessions. Their number is the element after those that `displacedOf` reads. */
const hasBehind = ([, , , behind]: readonly (string | number)[]): boolean => Number(behind) > 0;

/** What a message reveals about its device: enough to find the session. */
export type Lookup =
  | { by: 'registration'; registrationId: string }
  | { by: 'address'; accountId: string; address: string }
  | { by: 'token'; token: string };

const fieldOf = (lookup: Lookup): string => {
  if (lookup.by === 'registration') return registrationField(lookup.registrationId);
  if (lookup.by === 'address') return addressField(lookup.accountId, lookup.address);
  return tokenField(lookup.token);
};

/** A device sent a message; with `expiresAtMs` it also renewed its registration. */
export interface Renewal {
  deviceId: string;
  epoch: number;
  lastSeenAtMs: number;
  expiresAtMs?: number;
  /** Position of its observations, as `writeObserveSequences` writes it; '' or undefined: unchanged. */
  newest?: string;
}

type Row = (string | number)[];

type TakenRow = [
  epoch: number,
  previousOwner: string,
  registration: string,
  account: string,
  address: string,
  heard: string,
  expires: string,
  data: string,
  newest: string,
  observations: string[],
  isElsewhere: number,
  previousAddress: string,
  ...displaced: Row,
];

const accountPage = 200;

/** An observation to store or to delete. */
interface ObservationChange {
  deviceId: string;
  /** The device that the token leads to: the gateway, if the device is behind one. */
  holder: string;
  epoch: number;
  /** As `targetKey` returns it. */
  path: string;
  token: string;
  /** The observation as stored in Redis; '' if it is deleted. */
  stored: string;
}

/** New sessions, or observations, per script, which blocks Redis while it runs. */
const scriptMax = 100;
const batching = { batchMax: scriptMax, paceMs };

const stored = (deviceId: string, row: Row, observations: string[]): StoredSession => ({
  deviceId,
  epoch: Number(row[0]),
  registrationId: String(row[1]),
  accountId: String(row[2]),
  address: String(row[3]),
  lastSeenAtMs: Number(row[4]),
  expiresAtMs: Number(row[5]),
  data: listings.shareListing(JSON.parse(String(row[6])) as RegistrationData),
  observations: observations.map((text) => JSON.parse(text) as Observation),
});

/** Sessions of all devices in Redis: they outlive this process, and every write is fenced by the session's epoch. */
@Injectable()
export class SessionStore {
  readonly keys: SessionKeys;
  private readonly run;
  private readonly openings = new RequestBatcher((batch: readonly NewSession[]) => this.openAll(batch), batching);
  private readonly changes = new RequestBatcher(
    (batch: readonly ObservationChange[]) => this.changeAll(batch),
    batching,
  );
  private readonly renewals = new RequestBatcher((batch: readonly Renewal[]) => this.renewAll(batch), { paceMs });

  private readonly prefix: string;
  private readonly replicaId: string;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(CONFIG) { redisPrefix, replicaId }: Pick<DeviceProxyConfig, 'redisPrefix' | 'replicaId'>,
  ) {
    this.prefix = redisPrefix;
    this.replicaId = replicaId;
    this.keys = sessionKeys(redisPrefix);
    this.run = loadScripts(redis);
  }

  /** Stores a full registration, in one script with others that come at the same time. */
  async open(session: NewSession): Promise<Opened> {
    const opened = await this.openings.submit(session);
    if (opened instanceof Error) throw opened;
    return opened;
  }

  /** A failure for one device affects no other. */
  private async openAll(batch: readonly NewSession[]): Promise<(Opened | Error)[]> {
    const { index, expiry } = this.keys;
    const keys = [index, expiry];
    const args: (string | number)[] = [this.prefix, this.replicaId];
    for (const { deviceId, registrationId, accountId, address, nowMs, expiresAtMs, data } of batch) {
      keys.push(this.keys.session(deviceId), this.keys.observations(deviceId));
      args.push(deviceId, nowMs, expiresAtMs, registrationId, accountId, address, JSON.stringify(data));
    }
    const rows = (await this.run('open-sessions', keys, args)) as [number, string, ...Row][];
    return rows.map(([epoch, ownerOrError, ...other]) =>
      epoch === 0
        ? new Error(`session not opened: ${ownerOrError}`)
        : { epoch, previousOwner: ownerOrError, displaced: displacedOf(other), hasDevicesBehind: hasBehind(other) },
    );
  }

  /**
   * Makes this replica the owner. undefined when the device has no session, or not the expected one. The device gets an
   * address that another device has only if `registrationId` is given. `gatewayId`: the gateway that the device is
   * behind, whose session this replica must have.
   */
  async takeOver(
    deviceId: string,
    expected: { registrationId?: string | undefined; address?: string; gatewayId?: string } = {},
  ): Promise<TakeOver | undefined> {
    const { registrationId = '', address = '', gatewayId = '' } = expected;
    const claims = registrationId === '' ? 0 : 1;
    const args = [this.prefix, deviceId, this.replicaId, registrationId, address, claims, gatewayId];
    const keys = [this.keys.session(deviceId), this.keys.observations(deviceId), this.keys.index];
    const reply = (await this.run('take-session-3', keys, args)) as TakenRow | null;
    if (!reply) return undefined;
    const [epoch, previousOwner, registration, account, at, heard, expires, data, newest, observations, ...rest] =
      reply;
    const row = [epoch, registration, account, at, heard, expires, data];
    const [isElsewhere, before, ...other] = rest;
    return {
      session: { ...stored(deviceId, row, observations), newest: readObserveSequences(newest) },
      previousOwner,
      isElsewhere: isElsewhere === 1,
      previousAddress: String(before),
      displaced: displacedOf(other),
      hasDevicesBehind: hasBehind(other),
    };
  }

  /** `claims`: the address is to be this device's even if another device has it. */
  async update(session: Omit<StoredSession, 'observations'>, claims: boolean): Promise<Updated> {
    const { deviceId, epoch, address, lastSeenAtMs, expiresAtMs } = session;
    const keys = [this.keys.session(deviceId), this.keys.index, this.keys.expiry];
    const data = JSON.stringify(session.data);
    const args = [this.prefix, deviceId, epoch, address, lastSeenAtMs, expiresAtMs, data, claims ? 1 : 0];
    const reply = (await this.run('update-session-3', keys, args)) as [number, ...Row] | null;
    if (!reply) return undefined;
    const [written, ...other] = reply;
    return written === 1 ? { displaced: displacedOf(other) } : 'occupied';
  }

  /** False when the session was already gone, or has a later epoch. */
  async close(deviceId: string, epoch: number): Promise<boolean> {
    const keys = [this.keys.session(deviceId), this.keys.observations(deviceId), this.keys.index, this.keys.expiry];
    return (await this.run('close-session-4', keys, [this.prefix, deviceId, epoch])) === 1;
  }

  /**
   * Returns when the session ended: `endedAtMs`, or the time that an earlier claim named. undefined when the session is gone,
   * past its lifetime, or has a later epoch.
   */
  async claimEnd(
    { deviceId, epoch }: Pick<StoredSession, 'deviceId' | 'epoch'>,
    { reason, endedAtMs, leaseUntilMs }: { reason: EndReason; endedAtMs: number; leaseUntilMs: number },
  ): Promise<number | undefined> {
    const ended = await this.runClaim({ deviceId, epoch }, leaseUntilMs, reason, endedAtMs);
    return ended === null ? undefined : Number(ended);
  }

  /** The end of the session is announced when its lifetime is over, unless the session is replaced before. */
  async withhold(session: Pick<StoredSession, 'deviceId' | 'epoch' | 'expiresAtMs'>): Promise<void> {
    await this.runClaim(session, session.expiresAtMs, 'lifetime', '');
  }

  /**
   * For sessions that are not this replica's in Redis. The end of each that Redis has lost with its data is announced when
   * its lifetime is over, unless its device registers before.
   */
  async keepLost(sessions: readonly Omit<StoredSession, 'observations'>[]): Promise<void> {
    for (let at = 0; at < sessions.length; at += scriptMax) {
      const keys = [this.keys.expiry];
      const args: (string | number)[] = [this.prefix, this.replicaId];
      for (const session of sessions.slice(at, at + scriptMax)) {
        const { deviceId, epoch, registrationId, accountId, address, lastSeenAtMs, expiresAtMs, data } = session;
        keys.push(this.keys.session(deviceId));
        args.push(deviceId, epoch, registrationId, accountId, address, lastSeenAtMs, expiresAtMs, JSON.stringify(data));
      }
      await this.run('keep-lost-sessions', keys, args);
    }
  }

  private async runClaim(
    { deviceId, epoch }: Pick<StoredSession, 'deviceId' | 'epoch'>,
    leaseUntilMs: number,
    reason: EndReason,
    endedAtMs: number | '',
  ): Promise<string | null> {
    const keys = [this.keys.session(deviceId), this.keys.expiry];
    return (await this.run('claim-end-2', keys, [deviceId, epoch, leaseUntilMs, reason, endedAtMs])) as string | null;
  }

  /** Sessions past their expiry, or past the lease of `claimEnd`, claimed for this replica until `leaseUntilMs`. */
  async claimExpired(nowMs: number, leaseUntilMs: number, limit: number): Promise<Ending[]> {
    const rows = (await this.run('claim-expired-1', [this.keys.expiry], [this.prefix, nowMs, leaseUntilMs, limit])) as [
      string,
      ...Row,
    ][];
    return rows.map(([deviceId, ...row]) => ({
      session: stored(deviceId, row, []),
      owner: String(row[7]),
      reason: (row[8] || 'lifetime') as EndReason,
      endedAtMs: Number(row[9]),
    }));
  }

  /** A registration update that changes nothing but the time. False when the session is no longer this replica's. */
  renew(renewal: Renewal): Promise<boolean> {
    return this.renewals.submit(renewal);
  }

  /** For each renewal, whether its session is still this replica's. */
  async renewAll(batch: readonly Renewal[]): Promise<boolean[]> {
    const keys = [this.keys.expiry, ...batch.map(({ deviceId }) => this.keys.session(deviceId))];
    const args = batch.flatMap(({ deviceId, epoch, lastSeenAtMs, expiresAtMs, newest }) => [
      deviceId,
      epoch,
      lastSeenAtMs,
      expiresAtMs ?? '',
      newest ?? '',
    ]);
    return ((await this.run('renew-sessions', keys, args)) as number[]).map((result) => result === 1);
  }

  /** `holder`: the device that the token leads to. False when the session is no longer this replica's. */
  putObservation(
    { deviceId, epoch }: Pick<StoredSession, 'deviceId' | 'epoch'>,
    observation: Observation,
    holder = deviceId,
  ): Promise<boolean> {
    const { token } = observation;
    const path = targetKey(observation);
    return this.writeChange({ deviceId, holder, epoch, path, token, stored: JSON.stringify(observation) });
  }

  /** False when the session is no longer this replica's, or the observation was already replaced or gone. */
  dropObservation(
    { deviceId, epoch }: Pick<StoredSession, 'deviceId' | 'epoch'>,
    observation: Observation,
  ): Promise<boolean> {
    const { token } = observation;
    return this.writeChange({ deviceId, holder: deviceId, epoch, path: targetKey(observation), token, stored: '' });
  }

  /** Stores and deletions are written in one order, so that what was dropped is not stored afterwards. */
  private async writeChange(change: ObservationChange): Promise<boolean> {
    const result = await this.changes.submit(change);
    if (typeof result === 'string') throw new Error(`observation not stored: ${result}`);
    return result === 1;
  }

  /** The failure of one affects no other. */
  private async changeAll(batch: readonly ObservationChange[]): Promise<(number | string)[]> {
    const keys = [this.keys.index];
    const args: (string | number)[] = [];
    for (const { deviceId, holder, epoch, path, token, stored: text } of batch) {
      keys.push(this.keys.session(deviceId), this.keys.observations(deviceId));
      args.push(holder, epoch, path, token, text);
    }
    return (await this.run('note-observations', keys, args)) as (number | string)[];
  }

  async find(lookup: Lookup): Promise<string | undefined> {
    return (await this.redis.hget(this.keys.index, fieldOf(lookup))) ?? undefined;
  }

  /** Reads the stored session without taking it over. undefined when the device has no open session. */
  async read(deviceId: string): Promise<(StoredSession & { owner: string }) | undefined> {
    const [fields, observations] = await Promise.all([
      this.redis.hgetall(this.keys.session(deviceId)),
      this.redis.hvals(this.keys.observations(deviceId)),
    ]);
    if (fields.state !== 'open') return undefined;
    const { epoch, registration, account, address, heard, expires, data, owner } = fields as Record<string, string>;
    const row = [epoch, registration, account, address, heard, expires, data] as Row;
    return { ...stored(deviceId, row, observations), owner: String(owner) };
  }

  /** The epoch of the device's open session; undefined when it has none. */
  async epochOf(deviceId: string): Promise<number | undefined> {
    const [state, epoch] = await this.redis.hmget(this.keys.session(deviceId), 'state', 'epoch');
    return state === 'open' ? Number(epoch) : undefined;
  }

  async ownerOf(deviceId: string): Promise<string | undefined> {
    return (await this.redis.hget(this.keys.session(deviceId), 'owner')) ?? undefined;
  }

  behind(gatewayId: string): Promise<string[]> {
    return this.redis.smembers(this.keys.behind(gatewayId));
  }

  /** Devices whose session this replica owned when it last ran. */
  owned(): Promise<string[]> {
    return this.redis.smembers(this.keys.owned(this.replicaId));
  }

  /** Devices of the account that have a session, page by page. */
  async *ofAccount(accountId: string): AsyncGenerator<string[]> {
    const seen = new Set<string>();
    let cursor = '0';
    do {
      const [next, page] = await this.redis.sscan(this.keys.account(accountId), cursor, 'COUNT', accountPage);
      // A scan may show a member twice.
      yield page.filter((deviceId) => !seen.has(deviceId));
      for (const deviceId of page) seen.add(deviceId);
      cursor = next;
    } while (cursor !== '0');
  }
}
