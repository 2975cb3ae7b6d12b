import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '@lanyard/contracts';
import { type Identity, Unauthenticated } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import { SealedTargets } from '../callback-client/sealed-targets.js';
import type { SigningSecret } from '../callback-client/signature.js';
import type { ChannelKind } from '../channel-kind.js';
import type { Channel } from '../db/channel.entity.js';
import { defaultSerialization, type Serialization } from '../db/serialization.js';
import { noHealth, proves, type ChannelHealth } from '../db/channel-health.js';
import { ChannelDeleted, ChannelNotFound, ChannelOfAnotherKind } from '../errors.js';
import { changesWaitingMax } from '../limits.js';
import { ChannelRegistry, type QueueState } from '../queue/channel-registry.js';
import { ChannelRegistrar } from '../store/channel-registrar.js';
import { ChannelStore, type LockedChannel } from '../store/channel-store.js';
import { type AuditAction, deletion, type Registered, registration } from '../store/audit-actions.js';
import { ChannelEnds } from './channel-ends.js';
import { CallbackHealth } from './callback-health.js';
import { Verification } from './verification.js';

/** The secret fingerprint is absent if an older gateway does not send it. */
export type Owner = Pick<Identity, 'keyId' | 'accountId' | 'tier' | 'secretFingerprint'>;

/** The owner who made a request, with what the event log records about it. */
export type Caller = Owner & Actor;

export interface Shown {
  channel: Channel;
  /** undefined when the channel is no callback, or its target cannot be read. */
  target: CallbackTarget | undefined;
  /** undefined when Redis does not have the channel (yet). */
  queue: QueueState | undefined;
}

/** Kinds to which applications connect: the only thing to configure is how events look. */
type ConnectedKind = Exclude<ChannelKind, 'callback'>;

type Contents = Pick<Channel, 'target' | 'serialization'> & ChannelHealth;

/**
 * Creates, changes and deletes channels for their owners. PostgreSQL is written first, then Redis, under the key's lock; a
 * crash between the two is repaired at the next start, and every step may be repeated.
 */
@Injectable()
export class Channels {
  constructor(
    private readonly store: ChannelStore,
    private readonly registrar: ChannelRegistrar,
    private readonly registry: ChannelRegistry,
    private readonly ends: ChannelEnds,
    private readonly health: CallbackHealth,
    private readonly verification: Verification,
    private readonly targets: SealedTargets,
  ) {}

  /**
   * Spec §4.5 rule 1: the URL is called before it is stored; it replaces the previous one, and queued events stay. The
   * callback belongs to the secret with which the request was made. Throws Unauthenticated when that secret was reset
   * meanwhile: the holder of the new one may have registered another URL.
   */
  async putCallback(caller: Caller, target: CallbackTarget, serialization = defaultSerialization()): Promise<Shown> {
    const before = await this.store.find(caller.keyId);
    this.refuseOtherKind(before, 'callback');
    this.verification.check(target);
    const registeredWith = await this.health.secretOf(caller);
    await this.verification.verify(caller, target, this.readableTargetOf(before)?.signing);
    const contents = (known: Channel | null): Contents => {
      const signing = this.readableTargetOf(known)?.signing;
      const sealed = this.targets.seal({ ...target, ...(signing && { signing }) });
      const health = { ...noHealth, registeredWith, keySeen: known?.keySeen ?? null };
      const assessed = this.health.assessed(caller.keyId, health);
      if (!proves(registeredWith, assessed.keySeen)) throw new Unauthenticated('The secret of the key was reset.');
      return { target: sealed, serialization, ...assessed };
    };
    const { channel } = await this.put(caller, 'callback', contents);
    return this.show(channel);
  }

  /** Changes the signing secrets of an existing callback. Keeps queue and retries. Throws when its target cannot be read. */
  async changeSecrets(
    { keyId, accountId }: Owner,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
    auditAction: AuditAction,
  ): Promise<void> {
    const work = async (locked: LockedChannel): Promise<void> => {
      const channel = await locked.find();
      const target = channel?.target && this.targets.open(channel.target);
      if (!channel || !target || channel.accountId !== accountId) throw new ChannelNotFound('callback');
      const { signing, ...unsigned } = target;
      const secrets = change(signing?.secrets ?? []);
      const channelCreatedAtMs = channel.createdAt.getTime();
      const next = secrets.length > 0 ? { ...unsigned, signing: { channelCreatedAtMs, secrets } } : unsigned;
      const saved = await locked.save({ ...channel, target: this.targets.seal(next) }, undefined, auditAction);
      await this.registrar.register(saved, locked, true);
    };
    await this.store.withLock(keyId, work, changesWaitingMax);
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
      ...noHealth,
      target: null,
      serialization: serialization ?? known?.serialization ?? defaultSerialization(),
    });
    const { channel, created } = await this.put(caller, kind, contents);
    return { ...(await this.show(channel)), created };
  }

  /** Creates the pull channel for a poll. `isKnown`: the poll has seen the channel. Throws ChannelDeleted when it is gone since then. */
  async ensurePull(caller: Caller, isKnown: boolean): Promise<void> {
    const serialization = defaultSerialization();
    await this.put(caller, 'pull', (known) => {
      if (!known && isKnown) throw new ChannelDeleted();
      return { ...noHealth, target: null, serialization: known?.serialization ?? serialization };
    });
  }

  async find(keyId: string): Promise<Channel | null> {
    return this.store.find(keyId);
  }

  async get(owner: Owner, kind: ChannelKind): Promise<Shown> {
    const channel = await this.store.find(owner.keyId);
    if (!channel || channel.kind !== kind || channel.accountId !== owner.accountId) throw new ChannelNotFound(kind);
    return this.show(channel);
  }

  /** Why the callback did not accept an empty message that is not from its queue; undefined: it did. */
  async test(owner: Owner): Promise<string | undefined> {
    const { target } = await this.get(owner, 'callback');
    if (!target) return 'its URL cannot be decrypted: register it again';
    return this.verification.test(owner, target, target.signing);
  }

  async remove(caller: Caller, kind: ChannelKind): Promise<void> {
    const announcement = { status: 'deleted', reason: 'deleted by a REST call' } as const;
    const only = { kind, waitingMax: changesWaitingMax };
    const removed = await this.ends.endChannel(caller.keyId, announcement, only, deletion(caller, kind));
    if (!removed) throw new ChannelNotFound(kind);
  }

  private async put(
    caller: Caller,
    kind: ChannelKind,
    contents: (known: Channel | null) => Contents,
  ): Promise<{ channel: Channel; created: boolean }> {
    const { keyId, accountId, tier } = caller;
    const work = async (locked: LockedChannel): Promise<{ channel: Channel; created: boolean }> => {
      // Deleted while the URL was verified: a channel created now would never be removed.
      if (this.health.isDeleted(keyId)) throw new Unauthenticated('The key was deleted.');
      const known = await locked.find();
      this.refuseOtherKind(known, kind);
      const atCreation = known ?? { tier, createdAt: locked.now() };
      const wanted = contents(known);
      if (!known) await this.ends.removeQueue(keyId, locked);
      const row = { keyId, accountId, kind, ...wanted, tier: atCreation.tier, createdAt: atCreation.createdAt };
      const opened = (each: Contents): Registered => ({ ...each, target: this.readableTargetOf({ ...each, keyId }) });
      const auditAction = registration(caller, kind, opened(row), known ? opened(known) : undefined);
      const channel = await locked.save(row, known ? undefined : { status: 'created' }, auditAction);
      await this.registrar.register(channel, locked);
      return { channel, created: !known };
    };
    return this.store.withLock(keyId, work, changesWaitingMax);
  }

  /** The channel when there is nothing to change, neither in PostgreSQL nor in Redis. */
  private async sameConnected(
    { keyId }: Owner,
    kind: ConnectedKind,
    serialization?: Serialization,
  ): Promise<Channel | undefined> {
    const known = await this.store.find(keyId);
    if (known?.kind !== kind || this.health.isDeleted(keyId)) return undefined;
    if (serialization && !isDeepStrictEqual(serialization, known.serialization)) return undefined;
    return (await this.registrar.isRegistered(known)) ? known : undefined;
  }

  private async show(channel: Channel): Promise<Shown> {
    const queue = await this.registry.inspect(channel.keyId);
    return { channel, target: this.readableTargetOf(channel), queue };
  }

  private readableTargetOf(channel: Pick<Channel, 'keyId' | 'target'> | null): CallbackTarget | undefined {
    return channel ? this.targets.readableTargetOf(channel) : undefined;
  }

  private refuseOtherKind(known: Channel | null, kind: ChannelKind): void {
    if (known && known.kind !== kind) throw new ChannelOfAnotherKind(known.kind);
  }
}
