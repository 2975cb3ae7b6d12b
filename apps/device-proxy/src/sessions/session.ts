import type { ObjectVersions } from '@lanyard/lwm2m';
import { emptyAudience, type Audience } from './audiences.js';
import type { PendingSubscriber } from './pending-subscriber.js';
import { listings } from './listings.js';
import type { ObserveSequences } from './observe-sequence.js';
import { NotifiedValues } from './notified-values.js';
import { type Observation, Observations, type Target, targetKey } from './observations.js';
import { RefusedFormats } from './refused-formats.js';
import type { ShownCredential } from '../transport/sender.js';

/** One entry of a registration's link list, with the alternate root already removed from its path. */
export interface RegisteredLink {
  path: string;
  rt?: string;
  if?: string;
  ct?: string;
  /** Whether the path can be observed: the device marks it as observable, or marks no path at all. */
  obs: boolean;
  /** Token of an observation that the device made by itself (spec §2.4 rule 3), in hex. */
  autoToken?: string;
}

export interface RegistrationData {
  endpointName: string;
  endpointType?: string;
  lifetimeSeconds: number;
  lwm2mVersion: string;
  binding: string;
  queueMode: boolean;
  /** Prefix of all paths on the device (`rt="oma.lwm2m"`), or ''. */
  rootPath: string;
  /** Content-Formats that the root link lists. */
  contentFormats: number[];
  links: RegisteredLink[];
  /** Versions of its objects, where the device names them (`ver`). */
  objectVersions?: ObjectVersions | undefined;
  /** Unknown query parameters: kept, not refused. */
  attributes: Record<string, string>;
  registeredAtMs: number;
  /** The directory did not know the endpoint when it registered. */
  firstContact: boolean;
  /** The credential on the connection of its last registration or update; absent without security. */
  credential?: ShownCredential;
}

export interface StoredSession {
  deviceId: string;
  epoch: number;
  registrationId: string;
  accountId: string;
  address: string;
  lastSeenAtMs: number;
  expiresAtMs: number;
  data: RegistrationData;
  observations: Observation[];
  /** The position of the newest notification of each observation, when these were last written to Redis. */
  newest?: ObserveSequences;
}

/** The session of a device that this replica owns. */
export class Session {
  readonly deviceId: string;
  readonly accountId: string;
  readonly registrationId: string;
  readonly epoch: number;
  /** Where messages of the device come from, in the notation of peer-address.ts. */
  address: string;
  data: RegistrationData;
  lastSeenAtMs: number;
  expiresAtMs: number;
  readonly observations = new Observations();
  /** The session of the gateway that the device is behind; undefined for any other device. */
  readonly gateway: Session | undefined;
  /** Subscriptions to the device: the audience of its values. */
  audience: Audience = emptyAudience;
  /** The key whose subscription command is in progress, if any. */
  pendingSubscriber: PendingSubscriber | undefined;
  /** The rules that were last reconciled, compared by identity; undefined when reconciliation is due. */
  appliedRules: object | undefined;
  /** Counts the times that reconciliation became due. */
  reconciliationsRequired = 0;
  /** The device has the answer to its registration: before that no request may be sent to it. */
  isRegistrationAnswered = false;
  /**
   * The device is not expected to listen, for example because it did not answer a request or its connection ended.
   * Nothing is sent until it sends a message, or until its connection is continued after a restart.
   */
  silent = false;
  /** Another device has the address: nothing is sent there for this one until it updates its registration. */
  isElsewhere = false;
  /** Its last-seen time or observations have changed since they were last written to Redis. */
  unwritten = false;
  readonly refusedFormats = new RefusedFormats();
  readonly notified = new NotifiedValues();
  /** It ended here: by deregistration, expiry or take-over. */
  isOver = false;
  /** The positions that `StoredSession.newest` describes, until the observer adopts the observations with them. */
  newestBefore: ObserveSequences | undefined;
  private lastSequence = 0;
  /** Set while work waits for the device; created on demand, because for most sessions none does. */
  private ending: AbortController | undefined;
  private waits = 0;

  constructor(stored: StoredSession, gateway?: Session) {
    this.gateway = gateway;
    this.deviceId = stored.deviceId;
    this.accountId = stored.accountId;
    this.registrationId = stored.registrationId;
    this.epoch = stored.epoch;
    this.address = stored.address;
    this.data = listings.share(stored.data);
    this.lastSeenAtMs = stored.lastSeenAtMs;
    this.expiresAtMs = stored.expiresAtMs;
    this.newestBefore = stored.newest;
    for (const observation of stored.observations) this.observations.set(observation);
  }

  /** Where messages to the device go: to its gateway, if it is behind one. */
  get reachedAt(): string {
    return this.gateway?.address ?? this.address;
  }

  /** Keys for which the path is observed by itself with these attributes, including the pending one. */
  singleSubscribers(target: Pick<Target, 'path' | 'attributes'>): readonly string[] {
    const { pendingSubscriber: pending } = this;
    const joining = pending?.isComposite === false && pending.attributes === target.attributes ? pending : undefined;
    return this.withPending(target.path, this.audience.singleSubscribers(targetKey(target)), joining);
  }

  /** As `singleSubscribers`, but with the pending key only if it has its answer: for a value that carries no answer. */
  answeredSubscribers(target: Pick<Target, 'path' | 'attributes'>): readonly string[] {
    const isWaiting = this.pendingSubscriber?.isReceiving === false;
    return isWaiting ? this.audience.singleSubscribers(targetKey(target)) : this.singleSubscribers(target);
  }

  /** Keys that subscribed to the path and have their answer, for values outside observations. */
  subscribers(path: string): readonly string[] {
    const pending = this.pendingSubscriber?.isReceiving ? this.pendingSubscriber : undefined;
    return this.withPending(path, this.audience.subscribers(path), pending);
  }

  private withPending(
    path: string,
    keys: readonly string[],
    pending: PendingSubscriber | undefined,
  ): readonly string[] {
    if (!pending?.paths.includes(path) || keys.includes(pending.keyId)) return keys;
    return [...keys, pending.keyId];
  }

  /** Orders what arrives within this epoch. */
  nextSequence(): number {
    return ++this.lastSequence;
  }

  /** The required observations may have changed. */
  requireReconciliation(): void {
    this.appliedRules = undefined;
    this.reconciliationsRequired++;
  }

  /** Runs work whose signal aborts when the session ends. */
  async whileOpen<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.ending ??= new AbortController();
    if (this.isOver) this.ending.abort();
    this.waits++;
    try {
      return await work(this.ending.signal);
    } finally {
      if (--this.waits === 0) this.ending = undefined;
    }
  }

  markOver(): void {
    this.isOver = true;
    this.ending?.abort();
  }
}
