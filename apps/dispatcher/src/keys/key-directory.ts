import { isDeepStrictEqual } from 'node:util';
import { type Clock, fingerprintOf, isInNetworks, parseApiKey, secretMatches } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { type KeySeen, secretsOf } from '../db/channel-health.js';
import { resetKeyWaitMs, unknownKeyWaitMs } from '../limits.js';
import { SharedClock } from '../queue/shared-clock.js';
import { AccessKeysReader } from './access-keys.reader.js';
import type { KeyRecord } from './key-record.js';

export interface KnownKey {
  keyId: string;
  accountId: string;
  /** Fingerprint of the secret that proved the key. */
  secret: string;
}

/** Without the time of the change: an announcement that differs only in this changes nothing. */
const undated = (record: KeyRecord | undefined): object | undefined => record && { ...record, changedAtMs: 0 };

/** API keys as the gateway announces them; sockets bypass the gateway's check. */
@Injectable()
export class KeyDirectory {
  constructor(
    private readonly keys: AccessKeysReader,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /**
   * The key that this text proves, if any. Waits for the announcement of a key that is not known yet, was just reset, or may
   * connect again. `address`: the client's, as the gateway reports it.
   */
  async verify(text: string, address: string): Promise<KnownKey | undefined> {
    const given = parseApiKey(text);
    if (!given) return undefined;
    const proof = ({ secrets }: KeyRecord): string | undefined =>
      secrets.find(({ hash, untilMs }) => this.clock.now() < untilMs && secretMatches(hash, given.secret))?.hash;
    const proves = (record: KeyRecord): boolean => record.mayConnect && proof(record) !== undefined;
    const known = this.keys.get(given.keyId);
    if (this.isDeleted(given.keyId)) return undefined;
    const record = await this.keys.waitFor(given.keyId, known ? resetKeyWaitMs : unknownKeyWaitMs, proves);
    const hash = record && proof(record);
    if (!record || !hash || record.accountId !== given.accountId) return undefined;
    if (!this.isAllowedFrom(given.keyId, address)) return undefined;
    return { keyId: given.keyId, accountId: record.accountId, secret: fingerprintOf(hash) };
  }

  isDeleted(keyId: string): boolean {
    return this.keys.get(keyId)?.status === 'deleted';
  }

  /** Whether the key may be used from the address of a client. */
  isAllowedFrom(keyId: string, address: string): boolean {
    const networks = this.keys.get(keyId)?.sourceAddresses;
    return !networks || isInNetworks(networks, address);
  }

  /** For a key that was known: whether the key or its announcements are deleted. */
  isGone(keyId: string): boolean {
    return !this.keys.has(keyId) || this.isDeleted(keyId);
  }

  /** The state of the key as this replica knows it now. undefined: it knows no such key. */
  stateOf(keyId: string): KeySeen | undefined {
    const record = this.keys.get(keyId);
    if (!record) return undefined;
    const { revision, fingerprint, earlier, mayConnect } = record;
    return { revision, fingerprint, mayConnect, ...(earlier && { earlier }) };
  }

  /** Waits a little for the announcement of a secret that the gateway has accepted. `secret`: its fingerprint. */
  async waitForSecret(keyId: string, secret: string): Promise<void> {
    await this.keys.waitFor(keyId, unknownKeyWaitMs, (record) => secretsOf(record).includes(secret));
  }

  /**
   * Called when holders of a secret of the key lose their rights: the key was deleted, switched off, reset, or left its groups,
   * or the overlap of a rotation is over. `proves`: whether a secret, by its fingerprint, still proves the key.
   */
  onRevoked(listener: (keyId: string, proves: (secret: string) => boolean) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!before) return;
      const left = new Set(now?.mayConnect ? secretsOf(now) : []);
      if (secretsOf(before).some((secret) => !left.has(secret))) listener(keyId, (secret) => left.has(secret));
    });
  }

  /** Called for each actual change of a key. After an absence of Kafka all keys are read again, most of them unchanged. */
  onChange(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!isDeepStrictEqual(undated(now), undated(before))) listener(keyId);
    });
  }
}
