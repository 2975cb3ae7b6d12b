import { causedBy } from '@lanyard/kafka';
import { type Clock, CLOCK, type Identity } from '@lanyard/service';
import { DataSource, type EntityManager } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import type { Command } from '../commands/command.entity.js';
import type { Stored } from '../commands/command-intake.js';
import { Commands, type KnownDevice } from '../commands/commands.js';
import { type DeviceRequest, defaultTiming } from '../commands/device-request.js';
import { withDevice } from '../db/device-lock.js';
import { NotSubscribed, PathDoesNotExist } from '../errors.js';
import { takesAttributes, takesComposites, targetKey } from '../sessions/observations.js';
import { RegisteredPaths } from '../sessions/registered-links.js';
import { WakeUps } from '../sessions/wake-ups.js';
import { SessionStore } from '../sessions/session-store.js';
import { Subscription } from '../interest/subscription.entity.js';
import { SubscriptionStore } from '../interest/subscription-store.js';

/** How long a caller waits for the device before it gets an asynchronous response. */
const answerWaitMs = 2_000;

export interface SubscribeResult {
  asyncId: string;
  /** The device already reports the path, or confirmed the subscription within the wait. */
  confirmed: boolean;
}

/** Resource subscriptions of API keys (spec §4.4). A subscription is a command like any other, in the same queue. */
@Injectable()
export class Subscriptions {
  private readonly waiting = new Map<string, (succeeded: boolean) => void>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SubscriptionStore,
    private readonly commands: Commands,
    private readonly sessions: SessionStore,
    private readonly wakeUps: WakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    wakeUps.on('finished', ({ asyncId, succeeded }) => this.waiting.get(asyncId)?.(succeeded));
  }

  /** `attributes`: make it a separate observation, shared with keys that ask for the same attributes. */
  async subscribe(identity: Identity, deviceId: string, path: string, attributes?: string): Promise<SubscribeResult> {
    const { commands, store } = this;
    const device = await commands.device(identity, deviceId);
    const { session, accountId } = device;
    if (session && !new RegisteredPaths(session.data.links).mayExist(path)) throw new PathDoesNotExist();
    const key = targetKey({ path, attributes });
    const observations = session?.observations.filter((observation) => observation.path === path) ?? [];
    const observed = observations.some((observation) => targetKey(observation) === key);
    // If it is not offered, the command fails, and must not end the subscription that the key has.
    const isOffered = attributes === undefined || !session || takesAttributes(session.data);
    const asyncId = commands.newAsyncId();
    const outcome = this.outcomeOf(asyncId);
    const within = (manager: EntityManager): Promise<void> =>
      store.addRequested(
        manager,
        [{ deviceId, accountId, path, keyId: identity.keyId, origin: 'resource', attributes: attributes ?? null }],
        observed,
      );
    const input = {
      asyncId,
      kind: 'subscription',
      method: 'GET',
      path,
      accept: null,
      contentType: null,
      payload: null,
    } as const;
    try {
      await commands.send(
        identity,
        device,
        { ...input, query: attributes?.split('&') ?? [], ...defaultTiming(session?.data.queueMode ?? false) },
        isOffered ? { within } : {},
      );
      // Until now the key may have had an observation with other attributes, which may have no subscriber left.
      if (session && isOffered && observations.some((observation) => targetKey(observation) !== key))
        await this.wake(session.owner, deviceId);
      if (!session) return { asyncId, confirmed: false };
      return { asyncId, confirmed: (await this.succeedsWithin(answerWaitMs, outcome)) || observed };
    } finally {
      this.waiting.delete(asyncId);
    }
  }

  /** Subscribes to several paths, which the device reports together (Observe-Composite); the result is the command's. */
  async subscribeComposite(
    identity: Identity,
    device: KnownDevice,
    request: DeviceRequest,
    { paths, idempotencyKey }: { paths: readonly string[]; idempotencyKey: string | undefined },
  ): Promise<Stored> {
    const { commands, store } = this;
    const { deviceId, accountId, session } = device;
    const row = { deviceId, accountId, keyId: identity.keyId, origin: 'resource' } as const;
    const within = (manager: EntityManager, { id }: Command): Promise<void> =>
      store.addRequested(
        manager,
        paths.map((path) => ({ ...row, path, together: id })),
      );
    const input = { kind: 'subscription', ...request } as const;
    // If it is not offered, the command fails, and must not end the subscriptions that the key has.
    const isOffered = !session || takesComposites(session.data);
    const stored = await commands.send(identity, device, input, { ...(isOffered && { within }), idempotencyKey });
    // Single observations for this key may no longer be needed.
    if (session && isOffered) await this.wake(session.owner, deviceId);
    return stored;
  }

  async unsubscribe(identity: Identity, deviceId: string, path?: string): Promise<void> {
    await this.commands.device(identity, deviceId);
    await this.lose(deviceId, identity.keyId, path, identity.requestId);
  }

  async has(identity: Identity, deviceId: string, path: string): Promise<void> {
    await this.commands.device(identity, deviceId);
    const { keyId } = identity;
    if (!(await this.dataSource.manager.existsBy(Subscription, { deviceId, path, keyId }))) throw new NotSubscribed();
  }

  async list(identity: Identity, deviceId: string): Promise<string[]> {
    await this.commands.device(identity, deviceId);
    const where = { deviceId, keyId: identity.keyId };
    const rows = await this.dataSource.manager.find(Subscription, { where, order: { path: 'ASC' } });
    if (rows.length === 0) throw new NotSubscribed();
    return rows.map((row) => row.path);
  }

  /** Ends every subscription of the key, on all devices. */
  async forgetKey(keyId: string, requestId?: string): Promise<void> {
    const rows: { device_id: string }[] = await this.dataSource.query(
      'SELECT DISTINCT device_id FROM subscriptions WHERE key_id = $1',
      [keyId],
    );
    for (const { device_id: deviceId } of rows) await this.lose(deviceId, keyId, undefined, requestId);
  }

  private async lose(deviceId: string, keyId: string, path?: string, requestId?: string): Promise<void> {
    const { dataSource, store, sessions } = this;
    const which = { deviceId, keyId, ...(path !== undefined && { path }) };
    const lost = await withDevice(dataSource, deviceId, (manager) => {
      causedBy(manager, requestId);
      return store.lose(manager, which);
    });
    if (lost.length === 0) return;
    const owner = await sessions.ownerOf(deviceId).catch(() => undefined);
    if (owner !== undefined) await this.wake(owner, deviceId);
  }

  /** Errors are ignored: the change is stored, and an error would make the client repeat it. The owner also polls for changes. */
  private wake(owner: string, deviceId: string): Promise<void> {
    return this.wakeUps.send(owner, { about: 'interest', deviceId }).catch(() => undefined);
  }

  private outcomeOf(asyncId: string): Promise<boolean> {
    return new Promise((resolve) => this.waiting.set(asyncId, resolve));
  }

  private async succeedsWithin(waitMs: number, outcome: Promise<boolean>): Promise<boolean> {
    const over = new AbortController();
    try {
      return await Promise.race([outcome, this.clock.sleep(waitMs, over.signal).then(() => false)]);
    } finally {
      over.abort();
    }
  }
}
