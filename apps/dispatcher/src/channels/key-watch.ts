import type { Clock, Logger } from '@lanyard/service';
import type { Channels } from './channels.js';
import type { KeyDirectory } from '../keys/key-directory.js';

const againMs = 1_000;
const decidedAtOnce = 8;

/**
 * Carries changes of keys over to their channels: one that is deleted ends its channel, one that was reset or revoked
 * stops its callback. Every replica does, so that it is done although some are dead. Until it is done, a callback of
 * the key is not called by this replica, whatever PostgreSQL and Redis have to say.
 */
export class KeyWatch {
  /** Key -> how often it changed; gone when its channel is in order. */
  private readonly undecided = new Map<string, number>();
  private changes = 0;
  private readonly underWay = new Map<string, Promise<void>>();
  private forget: (() => void) | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly keys: KeyDirectory,
    private readonly channels: Pick<Channels, 'end' | 'judge'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Before the first repair: that finds what changed until now. */
  start(): void {
    this.forget = this.keys.onChange((keyId) => this.changed(keyId));
  }

  async stop(): Promise<void> {
    this.forget?.();
    this.stopping.abort();
    await Promise.all(this.underWay.values());
  }

  /** The key changed, and what that means for its channel is not carried out yet. */
  isUndecided(keyId: string): boolean {
    return this.undecided.has(keyId);
  }

  private changed(keyId: string): void {
    this.undecided.set(keyId, ++this.changes);
    this.next();
  }

  /** One that waits, for the lock of its key or for PostgreSQL, does not hold up the others. */
  private next(): void {
    for (const keyId of this.undecided.keys()) {
      if (this.underWay.size >= decidedAtOnce || this.stopping.signal.aborted) return;
      if (!this.underWay.has(keyId)) this.begin(keyId);
    }
  }

  private begin(keyId: string): void {
    const deciding = this.decide(keyId).finally(() => {
      this.underWay.delete(keyId);
      this.next();
    });
    this.underWay.set(keyId, deciding);
  }

  private async decide(keyId: string): Promise<void> {
    const change = this.undecided.get(keyId);
    try {
      if (this.keys.isGone(keyId)) await this.channels.end(keyId, { status: 'deleted', reason: 'its key was deleted' });
      else await this.channels.judge(keyId);
      if (this.undecided.get(keyId) === change) this.undecided.delete(keyId);
    } catch (err) {
      this.logger.warn({ err, channelId: keyId }, 'change of a key not carried over to its channel yet');
      await this.clock.sleep(againMs, this.stopping.signal);
    }
  }
}
