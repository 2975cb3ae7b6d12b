import { createHash } from 'node:crypto';
import { type Clock, CLOCK, type Identity, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DeviceNotFound, QueueIsFull } from '../errors.js';
import { WakeUps } from '../sessions/wake-ups.js';
import { SessionStore } from '../sessions/session-store.js';
import type { StoredSession } from '../sessions/session.js';
import { DeviceDirectory } from '../state/device-directory.js';
import type { Claimant } from './claim.js';
import type { AcceptOptions, NewCommand, Stored } from './command-intake.js';
import { CommandQueue } from './command-queue.js';
import { Deliverer } from './deliverer.js';
import { deviceBlocked, type Outcome, queueIsFull, registrationRemoved } from './outcome.js';

export type CommandInput = Pick<
  NewCommand,
  'asyncId' | 'kind' | 'method' | 'path' | 'query' | 'accept' | 'contentType' | 'payload' | 'noResponse' | 'retryMax'
> & {
  expirySeconds: number;
};

/** A device of the caller's account, and its session if it has one. */
export interface KnownDevice {
  deviceId: string;
  accountId: string;
  session?: StoredSession & { owner: string };
}

const fingerprint = (
  { kind, method, path, query, accept, contentType, payload, noResponse }: CommandInput,
  deviceId: string,
): string => {
  const request = [kind, deviceId, method, path, query, accept, contentType, payload?.toString('base64')];
  // The other requests must keep their fingerprint: stored Idempotency-Keys have the fingerprints of earlier versions.
  const asked = noResponse ? [...request, 'no response'] : request;
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
};

/** How a command ends at once, by why its device may not be connected. */
const refusals = { suspended: deviceBlocked, deleted: registrationRemoved, none: undefined };

/** Accepts commands of applications and campaigns: queues them and wakes the replica that owns the device's session. */
@Injectable()
export class Commands {
  constructor(
    private readonly queue: CommandQueue,
    private readonly directory: DeviceDirectory,
    private readonly sessions: SessionStore,
    private readonly wakeUps: WakeUps,
    private readonly deliverer: Deliverer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws DeviceNotFound. A new device may have a session before the directory knows it. */
  async device(identity: Identity, deviceId: string): Promise<KnownDevice> {
    const session = await this.sessions.read(deviceId);
    const entry = this.directory.get(deviceId) ?? (session ? undefined : await this.directory.wait(deviceId));
    const { accountId } = entry ?? session ?? {};
    if (accountId !== identity.accountId) throw new DeviceNotFound();
    return { deviceId, accountId, ...(session && { session }) };
  }

  /** When this resolves, the command is stored and announced. Throws QueueIsFull and IdempotencyKeyReused. */
  async send(
    identity: Identity,
    { deviceId, accountId, session }: KnownDevice,
    input: CommandInput,
    options: Pick<AcceptOptions, 'within' | 'idempotencyKey'> = {},
  ): Promise<Stored> {
    const command: NewCommand = {
      ...input,
      deviceId,
      accountId,
      keyId: identity.keyId,
      requestId: identity.requestId,
      ...(identity.traceParent !== undefined && { traceParent: identity.traceParent }),
      fingerprint: fingerprint(input, deviceId),
    };
    const refusal = async (): Promise<Outcome | undefined> =>
      this.refusalOf(deviceId, accountId) ?? ((await this.isForgotten(deviceId)) ? registrationRemoved : undefined);
    const store = (claimant?: Claimant) => this.queue.accept(command, { refusal, claimant, ...options });
    const handled = session && this.deliverer.storeAndDeliver(session, store);
    const stored = await (handled ?? store());
    // A failed wake-up is ignored: an error would make the client send the command again. The owner also polls.
    if (session && !handled) await this.wake(deviceId, session.owner);
    return stored;
  }

  /** A command of a campaign, which is always accepted: if it cannot be executed, it ends at once. Repeating it has no effect. */
  async acceptFromCampaign(command: NewCommand): Promise<void> {
    const { deviceId, accountId } = command;
    const refusal = () => this.refusalOf(deviceId, accountId);
    try {
      await this.queue.accept(command, { refusal });
    } catch (error) {
      if (!(error instanceof QueueIsFull)) throw error;
      await this.queue.accept(command, { refusal: () => queueIsFull, isUnlimited: true });
    }
    const session = await this.sessions.read(deviceId).catch(() => undefined);
    if (session) await this.wake(deviceId, session.owner);
  }

  cancelIssued(commandId: string): Promise<void> {
    return this.queue.cancelIssued(commandId);
  }

  private refusalOf(deviceId: string, accountId: string): Outcome | undefined {
    const entry = this.directory.get(deviceId);
    if (entry !== undefined && entry.accountId !== accountId) return registrationRemoved;
    return refusals[this.directory.whyBlocked(deviceId) ?? 'none'];
  }

  /**
   * Whether the device was deleted after `device` found it. Then the directory has forgotten it and its session has ended, and its
   * waiting commands may have failed before this one is stored.
   */
  private async isForgotten(deviceId: string): Promise<boolean> {
    if (this.directory.get(deviceId) !== undefined) return false;
    // Without Redis it is not known, and the command waits.
    return (await this.sessions.read(deviceId).catch(() => null)) === undefined;
  }

  private wake(deviceId: string, owner: string): Promise<void> {
    return this.wakeUps.send(owner, { about: 'commands', deviceId }).catch(() => undefined);
  }

  newAsyncId(): string {
    return newId(this.clock.now());
  }
}
