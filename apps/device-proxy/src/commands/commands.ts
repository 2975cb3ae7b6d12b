import { createHash } from 'node:crypto';
import { type Clock, CLOCK, type Identity, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DeviceNotFound } from '../errors.js';
import { DeviceDirectory } from '../intake/device-directory.js';
import { WakeUps } from '../sessions/wake-ups.js';
import { SessionStore } from '../sessions/session-store.js';
import type { StoredSession } from '../sessions/session.js';
import type { AcceptOptions, NewCommand, Stored } from './command-intake.js';
import { CommandQueue } from './command-queue.js';
import { deviceBlocked, registrationRemoved } from './outcome.js';

export type Wish = Pick<
  NewCommand,
  'asyncId' | 'kind' | 'method' | 'path' | 'query' | 'accept' | 'contentType' | 'payload' | 'retryMax'
> & {
  expirySeconds: number;
};

/** A device of the caller's account, and its session if it has one. */
export interface KnownDevice {
  deviceId: string;
  accountId: string;
  session?: StoredSession & { owner: string };
}

const fingerprint = ({ kind, method, path, query, accept, contentType, payload }: Wish, deviceId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, deviceId, method, path, query, accept, contentType, payload?.toString('base64')]))
    .digest('hex');

/** The error for devices that may not be connected. */
const refusals = { suspended: deviceBlocked, deleted: registrationRemoved, none: undefined };

/** Accepts commands of applications: queues them and wakes the replica that owns the device's session. */
@Injectable()
export class Commands {
  constructor(
    private readonly queue: CommandQueue,
    private readonly directory: DeviceDirectory,
    private readonly sessions: SessionStore,
    private readonly wakeUps: WakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A new device may have a session before the directory knows it. */
  async device(identity: Identity, deviceId: string): Promise<KnownDevice> {
    const session = await this.sessions.read(deviceId);
    const entry = this.directory.get(deviceId) ?? (session ? undefined : await this.directory.wait(deviceId));
    const { accountId } = entry ?? session ?? {};
    if (accountId !== identity.accountId) throw new DeviceNotFound();
    return { deviceId, accountId, ...(session && { session }) };
  }

  /** The command is stored and announced when this resolves. */
  async send(
    identity: Identity,
    { deviceId, accountId, session }: KnownDevice,
    wish: Wish,
    options: Pick<AcceptOptions, 'within' | 'idempotencyKey'> = {},
  ): Promise<Stored> {
    const command: NewCommand = {
      ...wish,
      deviceId,
      accountId,
      keyId: identity.keyId,
      requestId: identity.requestId,
      ...(identity.traceParent !== undefined && { traceParent: identity.traceParent }),
      fingerprint: fingerprint(wish, deviceId),
    };
    const refusal = () => refusals[this.directory.whyBlocked(deviceId) ?? 'none'];
    const stored = await this.queue.accept(command, { refusal, ...options });
    // An error would make the client repeat it, and execute it twice: the owner also polls.
    if (session) await this.wakeUps.send(session.owner, { about: 'commands', deviceId }).catch(() => undefined);
    return stored;
  }

  newAsyncId(): string {
    return newId(this.clock.now());
  }
}
