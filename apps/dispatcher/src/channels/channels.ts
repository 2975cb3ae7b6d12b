import { type Clock, type Identity, newId, open, seal } from '@lanyard/service';
import type { AddressGuard } from '../delivery/address-guard.js';
import type { Bus } from '../delivery/bus.js';
import type { CallbackDelivery } from '../delivery/callback-delivery.js';
import type { CallbackSender, CallbackTarget, SendFailure } from '../delivery/callback-sender.js';
import { type Signing, type SigningSecret, signatureHeaders } from '../delivery/signature.js';
import { CallbackNotVerified, ChannelNotFound, ChannelOfAnotherKind } from '../errors.js';
import type { ChannelRegistry, QueueState } from '../queue/channel-registry.js';
import { checkCallback } from './callback-rules.js';
import type { Channel, ChannelKind } from './channel.entity.js';
import type { Announcement, ChannelStore, LockedChannel } from './channel-store.js';
import type { Drop } from './drop-report.js';
import { defaultSerialization, renderCodeOf, type Serialization } from './serialization.js';

export type Owner = Pick<Identity, 'keyId' | 'accountId' | 'tier'>;

export interface Shown {
  channel: Channel;
  target: CallbackTarget | undefined;
  /** undefined when Redis does not have the channel (yet). */
  queue: QueueState | undefined;
}

const verification = Buffer.from('{}');

const whyNot: Record<SendFailure, string> = {
  status: 'another status',
  timeout: 'no answer within 20 s',
  unreachable: 'not reachable',
  forbidden: 'its address is not publicly reachable',
  untrusted: 'its certificate is not trusted',
  'other name': 'its certificate is for another name',
  'out of date': 'its certificate has expired, or is not valid yet',
  aborted: 'not reachable',
};

interface ChannelsParts {
  store: ChannelStore;
  registry: ChannelRegistry;
  sender: CallbackSender;
  guard: AddressGuard;
  bus: Bus;
  clock: Clock;
  encryptionKey: Buffer;
  delivery: Pick<CallbackDelivery, 'forget'>;
  /** What channels lost with their end. */
  onDropped: (drops: readonly Drop[]) => void;
}

/**
 * The life of channels. PostgreSQL first, then Redis, under the key's lock; a crash between the two is repaired at
 * the next start, and every step may be repeated.
 */
export class Channels {
  constructor(private readonly parts: ChannelsParts) {}

  /** Spec §4.5 rule 1: the URL is called before it is stored; it replaces the one before, and queued events stay. */
  async putCallback(owner: Owner, target: CallbackTarget, serialization = defaultSerialization()): Promise<Shown> {
    const { store, guard } = this.parts;
    const before = await store.find(owner.keyId);
    this.refuseOtherKind(before, 'callback');
    checkCallback(target, guard);
    await this.verify(owner.keyId, target, this.targetOf(before)?.signing);
    const { channel } = await this.put(owner, 'callback', (known) => {
      const signing = this.targetOf(known)?.signing;
      return { target: this.sealed({ ...target, ...(signing && { signing }) }), serialization };
    });
    return this.show(channel);
  }

  /** Of a callback that is there: with what its messages are signed from now on. Queue and retries go on. */
  async changeSecrets(
    { keyId, accountId }: Owner,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
  ): Promise<void> {
    await this.parts.store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      const target = this.targetOf(channel);
      if (!channel || !target || channel.accountId !== accountId) throw new ChannelNotFound('callback');
      const { signing, ...unsigned } = target;
      const secrets = change(signing?.secrets ?? []);
      const channelCreatedAtMs = channel.createdAt.getTime();
      const next = secrets.length > 0 ? { ...unsigned, signing: { channelCreatedAtMs, secrets } } : unsigned;
      const saved = await locked.save({ ...channel, target: this.sealed(next) });
      await this.register(saved, locked, true);
    });
  }

  /** A channel that exists is kept, with its queue and socket; its serialization changes when one is given. */
  async putWebSocket(owner: Owner, serialization?: Serialization): Promise<Shown & { created: boolean }> {
    const { channel, created } = await this.put(owner, 'websocket', (known) => ({
      target: null,
      serialization: serialization ?? known?.serialization ?? defaultSerialization(),
    }));
    return { ...(await this.show(channel)), created };
  }

  async ensurePull(owner: Owner): Promise<void> {
    const serialization = defaultSerialization();
    await this.put(owner, 'pull', (known) => ({ target: null, serialization: known?.serialization ?? serialization }));
  }

  async find(keyId: string): Promise<Channel | null> {
    return this.parts.store.find(keyId);
  }

  async get(owner: Owner, kind: ChannelKind): Promise<Shown> {
    const channel = await this.parts.store.find(owner.keyId);
    if (!channel || channel.kind !== kind || channel.accountId !== owner.accountId) throw new ChannelNotFound(kind);
    return this.show(channel);
  }

  async remove(owner: Owner, kind: ChannelKind): Promise<void> {
    const removed = await this.end(owner.keyId, { status: 'deleted', reason: 'deleted by a REST call' }, kind);
    if (!removed) throw new ChannelNotFound(kind);
  }

  /** Removes the channel of a key, for whatever reason. False when there is none (of the kind). */
  async end(keyId: string, announcement: Announcement, kind?: ChannelKind): Promise<boolean> {
    const { store, delivery } = this.parts;
    return store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      if (channel && kind && channel.kind !== kind) return false;
      if (channel) await locked.remove(channel, announcement);
      // Also without a row: an earlier attempt may have ended here.
      await this.removeQueue(keyId, locked);
      delivery.forget(keyId);
      return channel !== null;
    });
  }

  /** Of a channel that PostgreSQL does not have (any more). What its queue loses is announced before it is gone. */
  async removeQueue(keyId: string, locked: LockedChannel): Promise<void> {
    const { registry, bus, onDropped } = this.parts;
    const closed = await registry.close(keyId);
    if (!closed) return;
    if (closed.holder) bus.close(closed.holder, 'channel deleted');
    onDropped(await locked.announceLastDrops(closed));
    await registry.remove(keyId);
  }

  /** Makes Redis know what PostgreSQL does. `sameUrl`: what failed until now goes on failing. */
  async register(channel: Channel, locked: LockedChannel, sameUrl = false): Promise<void> {
    await this.parts.registry.register({
      channelId: channel.keyId,
      accountId: channel.accountId,
      kind: channel.kind,
      revision: channel.revision,
      render: renderCodeOf(channel.serialization),
      eventsMax: channel.serialization.max_chunk_size,
      tier: channel.tier,
      target: channel.target ?? '',
      createdAtMs: channel.createdAt.getTime(),
      dropped: await locked.reportedDrops(channel),
      keepFailures: sameUrl,
    });
  }

  private async put(
    { keyId, accountId, tier }: Owner,
    kind: ChannelKind,
    contents: (known: Channel | null) => Pick<Channel, 'target' | 'serialization'>,
  ): Promise<{ channel: Channel; created: boolean }> {
    const { store, clock } = this.parts;
    return store.withLock(keyId, async (locked) => {
      const known = await locked.find();
      this.refuseOtherKind(known, kind);
      const birth = known ?? { tier, createdAt: new Date(clock.now()) };
      const { target, serialization } = contents(known);
      if (!known) await this.removeQueue(keyId, locked);
      const row = { keyId, accountId, kind, target, serialization, tier: birth.tier, createdAt: birth.createdAt };
      const channel = await locked.save(row, known ? undefined : { status: 'created' });
      await this.register(channel, locked);
      return { channel, created: !known };
    });
  }

  private async verify(keyId: string, target: CallbackTarget, signing: Signing | undefined): Promise<void> {
    const { sender, clock } = this.parts;
    const headers = signing && signatureHeaders(signing, `msg_${newId()}`, clock.now(), verification);
    const line = `verification of ${keyId}`;
    const sent = await sender.send(line, target, { body: verification, ...(headers && { headers }) });
    sender.forget(line);
    if (!sent.ok) throw new CallbackNotVerified(whyNot[sent.cause]);
  }

  private async show(channel: Channel): Promise<Shown> {
    const queue = await this.parts.registry.inspect(channel.keyId);
    return { channel, target: this.targetOf(channel), queue };
  }

  private sealed(target: CallbackTarget): string {
    return seal(this.parts.encryptionKey, JSON.stringify(target));
  }

  private targetOf(channel: Channel | null): CallbackTarget | undefined {
    if (!channel?.target) return undefined;
    return JSON.parse(open(this.parts.encryptionKey, channel.target)) as CallbackTarget;
  }

  private refuseOtherKind(known: Channel | null, kind: ChannelKind): void {
    if (known && known.kind !== kind) throw new ChannelOfAnotherKind(known.kind);
  }
}
