import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '@lanyard/contracts';
import {
  type Clock,
  type EncryptionKeys,
  type Identity,
  type Logger,
  open,
  reseal,
  seal,
  Unauthenticated,
} from '@lanyard/service';
import type { AddressGuard } from '../callback-client/address-guard.js';
import type { Bus } from '../replicas/bus.js';
import type { CallbackDelivery } from '../delivery/callback-delivery.js';
import type { CallbackSender, CallbackTarget } from '../callback-client/callback-sender.js';
import type { SigningSecret } from '../callback-client/signature.js';
import { ChannelDeleted, ChannelNotFound, ChannelOfAnotherKind } from '../errors.js';
import type { ChannelRegistry, QueueState } from '../queue/channel-registry.js';
import { checkCallback } from './callback-rules.js';
import type { ChannelKind } from '../channel-kind.js';
import type { Channel } from '../db/channel.entity.js';
import type { Announcement, ChannelStore, LockedChannel } from './channel-store.js';
import { deletion, type Deed, type Registered, registration } from './deeds.js';
import type { Drop } from '../queue/drop-report.js';
import type { KeyDirectory } from '../keys/key-directory.js';
import { changesWaitingMax } from '../limits.js';
import { defaultSerialization, renderCodeOf, type Serialization } from '../db/serialization.js';
import { judged, noStanding, type Standing } from '../db/standing.js';
import { Verification } from './verification.js';

/** A gateway of before does not say with which secret they came. */
export type Owner = Pick<Identity, 'keyId' | 'accountId' | 'tier' | 'secretFingerprint'>;

/** An owner that asks for something: it is told to the event log. */
export type Caller = Owner & Actor;

export interface Shown {
  channel: Channel;
  target: CallbackTarget | undefined;
  /** undefined when Redis does not have the channel (yet). */
  queue: QueueState | undefined;
}

/** Applications connect to receive: there is nothing to configure but how events look. */
type ConnectedKind = Exclude<ChannelKind, 'callback'>;

type Contents = Pick<Channel, 'target' | 'serialization'> & Standing;

interface ChannelsParts {
  store: ChannelStore;
  registry: ChannelRegistry;
  sender: CallbackSender;
  guard: AddressGuard;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  encryptionKey: EncryptionKeys;
  keys: Pick<KeyDirectory, 'isDeleted' | 'seen' | 'hearOf'>;
  delivery: Pick<CallbackDelivery, 'forget'>;
  /** What channels lost with their end. */
  onDropped: (drops: readonly Drop[]) => void;
}

/**
 * The life of channels. PostgreSQL first, then Redis, under the key's lock; a crash between the two is repaired at
 * the next start, and every step may be repeated.
 */
export class Channels {
  private readonly verification: Verification;

  constructor(private readonly parts: ChannelsParts) {
    this.verification = new Verification(parts.sender, parts.clock);
  }

  /**
   * Spec §4.5 rule 1: the URL is called before it is stored; it replaces the one before, and queued events stay. It
   * stands by the secret with which the request came. Throws Unauthenticated when that was reset since: whoever has the
   * new one may have registered another URL.
   */
  async putCallback(caller: Caller, target: CallbackTarget, serialization = defaultSerialization()): Promise<Shown> {
    const { store, guard } = this.parts;
    const before = await store.find(caller.keyId);
    this.refuseOtherKind(before, 'callback');
    checkCallback(target, guard);
    const registeredWith = await this.secretOf(caller);
    await this.verification.verify(caller, target, this.targetOf(before)?.signing);
    const contents = (known: Channel | null): Contents => {
      const signing = this.targetOf(known)?.signing;
      const sealed = this.sealed({ ...target, ...(signing && { signing }) });
      const standing = { ...noStanding, registeredWith, keySeen: known?.keySeen ?? null };
      const judgement = this.judged(caller.keyId, standing);
      if (judgement.stopped === 'key_reset') throw new Unauthenticated('The secret of the key was reset.');
      return { target: sealed, serialization, ...judgement };
    };
    const { channel } = await this.put(caller, 'callback', contents);
    return this.show(channel);
  }

  /** Of a callback that is there: with what its messages are signed from now on. Queue and retries go on. */
  async changeSecrets(
    { keyId, accountId }: Owner,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
    deed: Deed,
  ): Promise<void> {
    const work = async (locked: LockedChannel): Promise<void> => {
      const channel = await locked.find();
      const target = this.targetOf(channel);
      if (!channel || !target || channel.accountId !== accountId) throw new ChannelNotFound('callback');
      const { signing, ...unsigned } = target;
      const secrets = change(signing?.secrets ?? []);
      const channelCreatedAtMs = channel.createdAt.getTime();
      const next = secrets.length > 0 ? { ...unsigned, signing: { channelCreatedAtMs, secrets } } : unsigned;
      const saved = await locked.save({ ...channel, target: this.sealed(next) }, undefined, deed);
      await this.register(saved, locked, true);
    };
    await this.parts.store.withLock(keyId, work, changesWaitingMax);
  }

  /** Seals the callback with the first encryption key. False when it is, or there is none. */
  async reseal(keyId: string): Promise<boolean> {
    return this.parts.store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      const target = channel?.target ? reseal(this.parts.encryptionKey, channel.target) : undefined;
      if (!channel || target === undefined) return false;
      await this.register(await locked.save({ ...channel, target }), locked, true);
      return true;
    });
  }

  /** A channel that exists is kept, with its queue and socket; its serialization changes when one is given. */
  async putConnected(
    caller: Caller,
    kind: ConnectedKind,
    serialization?: Serialization,
  ): Promise<Shown & { created: boolean }> {
    const same = await this.sameConnected(caller, kind, serialization);
    if (same) return { ...(await this.show(same)), created: false };
    const contents = (known: Channel | null): Contents => ({
      ...noStanding,
      target: null,
      serialization: serialization ?? known?.serialization ?? defaultSerialization(),
    });
    const { channel, created } = await this.put(caller, kind, contents);
    return { ...(await this.show(channel)), created };
  }

  /** For a poll. `isKnown`: it has seen the channel. Throws ChannelDeleted when that is gone since. */
  async ensurePull(caller: Caller, isKnown: boolean): Promise<void> {
    const serialization = defaultSerialization();
    await this.put(caller, 'pull', (known) => {
      if (!known && isKnown) throw new ChannelDeleted();
      return { ...noStanding, target: null, serialization: known?.serialization ?? serialization };
    });
  }

  async find(keyId: string): Promise<Channel | null> {
    return this.parts.store.find(keyId);
  }

  async get(owner: Owner, kind: ChannelKind): Promise<Shown> {
    const channel = await this.parts.store.find(owner.keyId);
    if (!channel || channel.kind !== kind || channel.accountId !== owner.accountId) throw new ChannelNotFound(kind);
    return this.show(channel);
  }

  async remove(caller: Caller, kind: ChannelKind): Promise<void> {
    const announcement = { status: 'deleted', reason: 'deleted by a REST call' } as const;
    const only = { kind, waitingMax: changesWaitingMax };
    const removed = await this.end(caller.keyId, announcement, only, deletion(caller, kind));
    if (!removed) throw new ChannelNotFound(kind);
  }

  /** What has become of the key stops its callback, or lets it go on. Queue and retries stay. May be repeated. */
  async judge(keyId: string): Promise<void> {
    const { store, logger } = this.parts;
    const before = await store.find(keyId);
    if (!before || this.isInOrder(before)) return;
    await store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      if (!channel || this.isInOrder(channel)) return;
      const saved = await locked.save({ ...channel, ...this.judged(keyId, channel) });
      await this.register(saved, locked, true);
      if (saved.stopped !== channel.stopped)
        logger.info({ channelId: keyId, stopped: saved.stopped }, 'callback judged');
    });
  }

  /** Whether what is known of its key is carried over to the channel. */
  isInOrder(channel: Channel): boolean {
    return channel.kind !== 'callback' || this.judged(channel.keyId, channel) === channel;
  }

  /**
   * Removes the channel of a key, for whatever reason. False when there is none (of the kind), or the reason does not
   * hold any more. `deed`: of an operator.
   */
  async end(
    keyId: string,
    announcement: Announcement,
    only: { kind?: ChannelKind; stillSo?: () => Promise<boolean>; waitingMax?: number } = {},
    deed?: Deed,
  ): Promise<boolean> {
    const { store, delivery } = this.parts;
    const work = async (locked: LockedChannel): Promise<boolean> => {
      const channel = await locked.find();
      if (channel && only.kind && channel.kind !== only.kind) return false;
      if (only.stillSo && !(await only.stillSo())) return false;
      if (channel) await locked.remove(channel, announcement, deed);
      // Also without a row: an earlier attempt may have ended here.
      await this.removeQueue(keyId, locked);
      delivery.forget(keyId);
      return channel !== null;
    };
    return store.withLock(keyId, work, only.waitingMax);
  }

  /** Of a channel that PostgreSQL does not have (any more). What its queue loses is announced before it is gone. */
  async removeQueue(keyId: string, locked: LockedChannel): Promise<void> {
    const { registry, bus, onDropped } = this.parts;
    // Whoever lost the lock without knowing does not touch what was made since.
    const upTo = await locked.nextRevision();
    const closed = await registry.close(keyId, upTo);
    if (!closed) return;
    if (closed.holder) bus.close(closed.holder, 'channel deleted');
    onDropped(await locked.announceLastDrops(closed));
    await registry.remove(keyId, upTo);
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
      stopped:
        channel.stopped && channel.stoppedAt
          ? { reason: channel.stopped, sinceMs: channel.stoppedAt.getTime() }
          : undefined,
    });
  }

  private async put(
    caller: Caller,
    kind: ChannelKind,
    contents: (known: Channel | null) => Contents,
  ): Promise<{ channel: Channel; created: boolean }> {
    const { store, clock, keys } = this.parts;
    const { keyId, accountId, tier } = caller;
    const work = async (locked: LockedChannel): Promise<{ channel: Channel; created: boolean }> => {
      // Deleted while the URL was verified: nobody would end what is made now.
      if (keys.isDeleted(keyId)) throw new Unauthenticated('The key was deleted.');
      const known = await locked.find();
      this.refuseOtherKind(known, kind);
      const birth = known ?? { tier, createdAt: new Date(clock.now()) };
      const wanted = contents(known);
      if (!known) await this.removeQueue(keyId, locked);
      const row = { keyId, accountId, kind, ...wanted, tier: birth.tier, createdAt: birth.createdAt };
      const opened = (each: Contents): Registered => ({ ...each, target: this.targetOf(each) });
      const deed = registration(caller, kind, opened(row), known ? opened(known) : undefined);
      const channel = await locked.save(row, known ? undefined : { status: 'created' }, deed);
      await this.register(channel, locked);
      return { channel, created: !known };
    };
    return store.withLock(keyId, work, changesWaitingMax);
  }

  /** The channel when there is nothing to change, neither in PostgreSQL nor in Redis. */
  private async sameConnected(
    { keyId }: Owner,
    kind: ConnectedKind,
    serialization?: Serialization,
  ): Promise<Channel | undefined> {
    const { store, registry, keys } = this.parts;
    const known = await store.find(keyId);
    if (known?.kind !== kind || keys.isDeleted(keyId)) return undefined;
    if (serialization && !isDeepStrictEqual(serialization, known.serialization)) return undefined;
    const [revision] = await registry.revisions([known]);
    return revision === known.revision ? known : undefined;
  }

  /** With which secret the request came. Of a gateway that does not say: the one that was known when it came. */
  private async secretOf({ keyId, secretFingerprint }: Owner): Promise<string | null> {
    const { keys } = this.parts;
    if (secretFingerprint === undefined) return keys.seen(keyId)?.fingerprint ?? null;
    await keys.hearOf(keyId, secretFingerprint);
    return secretFingerprint;
  }

  private judged<S extends Standing>(keyId: string, standing: S): S | Standing {
    return judged(standing, this.parts.keys.seen(keyId), new Date(this.parts.clock.now()));
  }

  private async show(channel: Channel): Promise<Shown> {
    const queue = await this.parts.registry.inspect(channel.keyId);
    return { channel, target: this.targetOf(channel), queue };
  }

  private sealed(target: CallbackTarget): string {
    return seal(this.parts.encryptionKey, JSON.stringify(target));
  }

  private targetOf(channel: Pick<Channel, 'target'> | null): CallbackTarget | undefined {
    if (!channel?.target) return undefined;
    return JSON.parse(open(this.parts.encryptionKey, channel.target)) as CallbackTarget;
  }

  private refuseOtherKind(known: Channel | null, kind: ChannelKind): void {
    if (known && known.kind !== kind) throw new ChannelOfAnotherKind(known.kind);
  }
}
