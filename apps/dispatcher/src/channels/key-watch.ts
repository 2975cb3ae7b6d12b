import { type Clock, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { KeyDirectory } from '../keys/key-directory.js';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ChannelEnds } from './channel-ends.js';
import { CallbackHealth } from './callback-health.js';

/** Time between a failed attempt to apply a change and the next one. */
const retryDelayMs = 1_000;
const appliedAtOnce = 8;

/**
 * Applies changes of keys to their channels: a key that is deleted ends its channel, a key that was reset or revoked
 * stops its callback. Every replica does this, so that it is done even if other replicas are dead. Until it is done,
 * this replica does not call a callback of the key, whatever PostgreSQL and Redis contain.
 */
@Injectable()
export class KeyWatch implements OnModuleInit {
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly pending: PendingKeyChanges,
    private readonly keys: KeyDirectory,
    private readonly ends: ChannelEnds,
    private readonly health: CallbackHealth,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs before the first repair, which finds what changed until now. */
  onModuleInit(): void {
    this.pending.onAdded(() => this.next());
    this.next();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.inFlight.values());
  }

  /** A change that waits, for the lock of its key or for PostgreSQL, does not delay the others. */
  private next(): void {
    for (const keyId of this.pending.keyIds()) {
      if (this.inFlight.size >= appliedAtOnce || this.stopping.signal.aborted) return;
      if (!this.inFlight.has(keyId)) this.begin(keyId);
    }
  }

  private begin(keyId: string): void {
    const applying = this.apply(keyId).finally(() => {
      this.inFlight.delete(keyId);
      this.next();
    });
    this.inFlight.set(keyId, applying);
  }

  private async apply(keyId: string): Promise<void> {
    const change = this.pending.latest(keyId);
    try {
      if (this.keys.isGone(keyId)) await this.ends.endOfDeletedKey(keyId);
      else await this.health.update(keyId);
      this.pending.applied(keyId, change);
    } catch (err) {
      this.logger.warn({ err, channelId: keyId }, 'change of a key not yet applied to its channel');
      this.pending.postpone(keyId);
      await this.clock.sleep(retryDelayMs, this.stopping.signal);
    }
  }
}
