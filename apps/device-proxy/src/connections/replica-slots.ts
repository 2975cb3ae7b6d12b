import { randomBytes } from 'node:crypto';
import { type Clock, CLOCK, CONFIG, type Logger, LOGGER, REDIS, type RedisClient, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { connectionKeys } from './keys.js';
import { connectionIdBytes, slotBytes, slotLeaseMs, slotRenewalMs } from './limits.js';
import { loadConnectionScripts } from './scripts.js';

/** Another replica that holds a slot. */
export interface Replica {
  /** `<slot>:<token>`: never the same for two processes. */
  owner: string;
  /** `<host>:<port>` of its peer port; undefined without one. */
  peerPortAddress: string | undefined;
}

const noAddress = '-';
const tokenBytes = 8;

/**
 * The slot of this replica in Redis, held by a lease, and the slots of the others. Connection ids begin with the slot of the
 * replica that made them. Ownership is compared by token: a reused slot number never means its former holder.
 */
@Injectable()
export class ReplicaSlots {
  /** Length of all connection ids, here and on other replicas, because the length is not on the wire. */
  readonly connectionIdBytes: number = connectionIdBytes;
  private readonly run;
  private readonly key: string;
  private readonly token = randomBytes(tokenBytes).toString('hex');
  private readonly lapses: (() => void)[] = [];
  private slot: number | undefined;
  private peerPortAddress = noAddress;
  private replicas = new Map<number, Replica>();
  private timer: Timer | undefined;
  private renewing: Promise<void> | undefined;

  constructor(
    @Inject(REDIS) redis: RedisClient,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'redisPrefix' | 'replicaId'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.run = loadConnectionScripts(redis);
    this.key = connectionKeys(config.redisPrefix).slots;
  }

  /** The listener is called when the lease ended before it was renewed: others may have taken connections over. */
  onLapse(listener: () => void): void {
    this.lapses.push(listener);
  }

  /**
   * Takes a slot, and renews its lease until `release`.
   * @param peerPortAddress Where other replicas reach this one.
   */
  async hold(peerPortAddress: string = noAddress): Promise<void> {
    this.peerPortAddress = peerPortAddress;
    await this.refresh();
    this.timer = this.clock.every(slotRenewalMs, () => {
      this.renewing ??= this.refresh()
        .catch((err: unknown) => this.logger.warn({ err }, 'the lease of connection ids is not renewed'))
        .finally(() => (this.renewing = undefined));
    });
  }

  /** From here on, other replicas may take the connections over. */
  async release(): Promise<void> {
    this.timer?.cancel();
    await this.renewing;
    if (this.slot === undefined) return;
    await this.run('release-slot-1', [this.key], [this.token, this.slot]);
    this.slot = undefined;
  }

  /** Throws before `hold`. */
  get owner(): string {
    return `${this.requireSlot()}:${this.token}`;
  }

  newConnectionId(): Buffer {
    const id = randomBytes(connectionIdBytes);
    id.writeUIntBE(this.requireSlot(), 0, slotBytes);
    return id;
  }

  /** Whether no other replica holds a slot. */
  get isAlone(): boolean {
    return this.replicas.size === 0;
  }

  /** The other replica that made the connection id, if it still holds its slot. */
  makerOf(connectionId: Buffer): Replica | undefined {
    return this.replicas.get(connectionId.readUIntBE(0, slotBytes));
  }

  /** Another replica, while it holds its slot. */
  replica(owner: string): Replica | undefined {
    const found = this.replicas.get(Number(owner.slice(0, owner.indexOf(':'))));
    return found?.owner === owner ? found : undefined;
  }

  /** Throws when this replica holds no slot. */
  private requireSlot(): number {
    if (this.slot === undefined) throw new Error('this replica holds no slot for connection ids');
    return this.slot;
  }

  /** Renews the lease, and learns of the other replicas. */
  async refresh(): Promise<void> {
    const before = this.slot;
    const args = [this.token, before ?? '', this.peerPortAddress, slotLeaseMs, this.config.replicaId];
    const [slot, unbroken, ...others] = (await this.run('hold-slot-1', [this.key], args)) as (string | number)[];
    this.slot = Number(slot);
    this.replicas = replicasOf(others as string[]);
    if (before === undefined || unbroken === 1) return;
    this.logger.warn({ slot }, 'the lease of connection ids had ended: each connection is compared with Redis');
    for (const listener of this.lapses) listener();
  }
}

const replicasOf = (rows: readonly string[]): Map<number, Replica> => {
  const replicas = new Map<number, Replica>();
  for (let n = 0; n < rows.length; n += 3) {
    const [slot, token, address] = rows.slice(n, n + 3) as [string, string, string];
    const peerPortAddress = address === noAddress ? undefined : address;
    replicas.set(Number(slot), { owner: `${slot}:${token}`, peerPortAddress });
  }
  return replicas;
};
