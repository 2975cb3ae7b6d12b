import { decodeState, encodeState } from '@lanyard/dtls';
import {
  type Clock,
  CLOCK,
  CONFIG,
  type EncryptionKeys,
  openFor,
  REDIS,
  type RedisClient,
  sealFor,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { paceMs } from '../db/pace.js';
import { RequestBatcher } from '../db/request-batcher.js';
import type { SavedConnection } from '../transport/connection-sharing.js';
import type { ShownCredential } from '../transport/sender.js';
import { connectionKeys } from './keys.js';
import { scriptMax } from './limits.js';
import { ReplicaSlots } from './replica-slots.js';
import { loadConnectionScripts } from './scripts.js';

export interface Save extends SavedConnection {
  /** Epoch of the owner. */
  epoch: number;
  /** How long Redis keeps the state. */
  keptMs: number;
  /** Whether the handshake has just ended. */
  isNew?: boolean;
}

export type TakeOverResult =
  /** Redis has no state of the connection. */
  | { kind: 'none' }
  /** No live replica has the connection, and it is left to another one. */
  | { kind: 'unowned' }
  /** Another live replica has the connection. */
  | { kind: 'elsewhere'; owner: string }
  /**
   * This replica has taken the connection. `takeOvers`: by how much the epoch has grown since the save, which is at
   * least the number of take-overs since then, including this one.
   */
  | { kind: 'taken'; epoch: number; takeOvers: number; saved: SavedConnection }
  /** This replica has taken the connection, but cannot read its state, for example because its key has been removed. */
  | { kind: 'unreadable'; epoch: number; error: unknown };

interface Lookup {
  id: string;
  /** Whether the connection is left to another replica, even if none has it now. */
  leaveToOthers: boolean;
}

/** A connection, and the epoch with which this replica owns it. */
interface Known {
  id: string;
  epoch: number;
}

const epochBytes = 6;

const batching = { batchMax: scriptMax, paceMs };

/**
 * The states of DTLS connections in Redis, sealed. Every write carries the epoch of its owner. The epoch at the time of a save
 * is sealed with the state, so that what the next owner skips does not depend on anything that Redis could lose or falsify.
 */
@Injectable()
export class ConnectionStore {
  private readonly run;
  private readonly keys: EncryptionKeys;
  private readonly prefix: ReturnType<typeof connectionKeys>;
  private readonly saves = new RequestBatcher((batch: readonly Save[]) => this.saveAll(batch), batching);
  private readonly takeOvers = new RequestBatcher((batch: readonly Lookup[]) => this.takeOverAll(batch), batching);
  private readonly confirmations = new RequestBatcher((batch: readonly Known[]) => this.confirmAll(batch), batching);
  private readonly releases = this.drops('release-connections');
  private readonly removals = this.drops('remove-connections');

  constructor(
    @Inject(REDIS) redis: RedisClient,
    @Inject(CONFIG) { redisPrefix, secrets }: Pick<DeviceProxyConfig, 'redisPrefix' | 'secrets'>,
    private readonly slots: ReplicaSlots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.run = loadConnectionScripts(redis);
    this.prefix = connectionKeys(redisPrefix);
    this.keys = secrets.encryptionKey;
  }

  /** Epoch of a new connection. Epochs are at least the time in seconds, so one whose increase Redis has lost is not reused. */
  firstEpoch(): number {
    return Math.floor(this.clock.now() / 1_000);
  }

  /** False when another replica has the connection, or the id of a new connection is in use. */
  save(save: Save): Promise<boolean> {
    return this.saves.submit(save);
  }

  /** Takes the connection over, unless a live replica has it or it is left to another one. */
  takeOver(id: string, { leaveToOthers = false }: Partial<Lookup> = {}): Promise<TakeOverResult> {
    return this.takeOvers.submit({ id, leaveToOthers });
  }

  /** Whether the connection is still this replica's. Also true when Redis does not have it: Redis may have lost it. */
  confirm(known: Known): Promise<boolean> {
    return this.confirmations.submit(known);
  }

  /** Used when this replica has no room for the connection or cannot read its state: another one may take it over. */
  release(known: Known): Promise<void> {
    return this.releases.submit(known);
  }

  remove(known: Known): Promise<void> {
    return this.removals.submit(known);
  }

  private async saveAll(batch: readonly Save[]): Promise<boolean[]> {
    const args: (string | number)[] = [this.slots.owner];
    for (const save of batch) args.push(save.epoch, this.seal(save), save.keptMs, save.isNew === true ? 1 : 0);
    const keys = batch.map(({ state }) => this.prefix.connection(state.id));
    const results = await this.run('save-connections', keys, args);
    return (results as number[]).map((result) => result === 1);
  }

  private async takeOverAll(batch: readonly Lookup[]): Promise<TakeOverResult[]> {
    const keys = [this.prefix.slots, ...batch.map(({ id }) => this.prefix.connection(id))];
    const leaveFlags = batch.map(({ leaveToOthers }) => (leaveToOthers ? 1 : 0));
    const rows = await this.run('take-connections', keys, [this.slots.owner, this.firstEpoch(), ...leaveFlags]);
    return (rows as string[][]).map((row, n) => this.resultOf((batch[n] as Lookup).id, row));
  }

  private resultOf(id: string, [kind, detail = '', sealed = '']: readonly string[]): TakeOverResult {
    if (kind === 'elsewhere') return { kind, owner: detail };
    if (kind === 'unowned') return { kind };
    if (kind !== 'taken') return { kind: 'none' };
    const epoch = Number(detail);
    try {
      const { savedEpoch, saved } = this.open(id, sealed);
      return { kind, epoch, takeOvers: epoch - savedEpoch, saved };
    } catch (error) {
      return { kind: 'unreadable', epoch, error };
    }
  }

  private async confirmAll(batch: readonly Known[]): Promise<boolean[]> {
    const keys = batch.map(({ id }) => this.prefix.connection(id));
    const results = await this.run('confirm-connections', keys, [this.slots.owner, ...batch.map(({ epoch }) => epoch)]);
    return (results as number[]).map((result) => result !== 0);
  }

  private drops(script: 'release-connections' | 'remove-connections'): RequestBatcher<Known, void> {
    return new RequestBatcher<Known, void>(async (batch) => {
      const keys = batch.map(({ id }) => this.prefix.connection(id));
      const epochs = batch.map(({ epoch }) => epoch);
      await this.run(script, keys, epochs);
      return batch.map(() => undefined);
    }, batching);
  }

  private seal({ state, credential, epoch }: Save): string {
    const credentialText = Buffer.from(JSON.stringify(credential));
    const head = Buffer.alloc(epochBytes + 2);
    head.writeUIntBE(epoch, 0, epochBytes);
    head.writeUInt16BE(credentialText.length, epochBytes);
    return sealFor(this.keys, purposeOf(state.id), Buffer.concat([head, credentialText, encodeState(state)]));
  }

  /** @throws InvalidState, UnknownEncryptionKey, or an error of node:crypto */
  private open(id: string, sealed: string): { savedEpoch: number; saved: SavedConnection } {
    const bytes = openFor(this.keys, purposeOf(id), sealed);
    const stateAt = epochBytes + 2 + bytes.readUInt16BE(epochBytes);
    const credential = JSON.parse(bytes.subarray(epochBytes + 2, stateAt).toString()) as ShownCredential;
    return {
      savedEpoch: bytes.readUIntBE(0, epochBytes),
      saved: { credential, state: decodeState(bytes.subarray(stateAt)) },
    };
  }
}

/** The purpose binds a state to the id of its connection: it can be opened under that id only. */
const purposeOf = (id: string): string => `device-proxy DTLS connection ${id}`;
