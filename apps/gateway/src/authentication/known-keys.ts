import { CLOCK, type Clock, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { type KnownKey, KeyReader } from './key-reader.js';

/** A key that was deleted, changed or reset on another replica is accepted no longer than this. */
const knownMs = 5_000;
const keysMax = 50_000;

export interface LastRead {
  key: KnownKey;
  /** Whether it may be used as it is; otherwise it has to be read again. */
  isRecent: boolean;
}

/** This replica's cache of the last 50,000 keys. Only existing keys are cached. */
@Injectable()
export class KnownKeys {
  private readonly keys = new Map<string, { key: KnownKey; readAtMs: number }>();
  private readonly loading = new Map<string, Promise<KnownKey | undefined>>();
  /** A read that began before an invalidation may contain the old state, and is not cached. */
  private generation = 0;

  constructor(
    private readonly reader: KeyReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  last(keyId: string): LastRead | undefined {
    const entry = this.keys.get(keyId);
    if (!entry) return undefined;
    const ageMs = this.clock.now() - entry.readAtMs;
    // The clock may have been set back since, by hours.
    return { key: entry.key, isRecent: ageMs >= 0 && ageMs < knownMs };
  }

  /** As it was at most five seconds ago. */
  async recent(keyId: string): Promise<KnownKey | undefined> {
    const last = this.last(keyId);
    return last?.isRecent ? last.key : this.load(keyId);
  }

  /** Reads from the database. Concurrent callers share the read. */
  load(keyId: string): Promise<KnownKey | undefined> {
    const pending = this.loading.get(keyId);
    if (pending) return pending;
    const load = this.readAndRemember(keyId).finally(() => {
      if (this.loading.get(keyId) === load) this.loading.delete(keyId);
    });
    this.loading.set(keyId, load);
    return load;
  }

  /** Invalidates the key: it is read again before its next use. */
  invalidate(keyId: string): void {
    this.generation++;
    const entry = this.keys.get(keyId);
    if (entry) entry.readAtMs = -Infinity;
    this.loading.delete(keyId);
  }

  /** Invalidates the keys of the account. Reads in progress may be of any account. */
  invalidateAccount(accountId: string): void {
    this.generation++;
    for (const entry of this.keys.values()) if (entry.key.accountId === accountId) entry.readAtMs = -Infinity;
    this.loading.clear();
  }

  private async readAndRemember(keyId: string): Promise<KnownKey | undefined> {
    // The five seconds count from before the read, so they are an upper bound of its age.
    const readAtMs = this.clock.now();
    const generation = this.generation;
    const key = await this.reader.read(keyId);
    if (generation !== this.generation) return key;
    if (key) setBounded(this.keys, keyId, { key, readAtMs }, keysMax);
    else this.keys.delete(keyId);
    return key;
  }
}
