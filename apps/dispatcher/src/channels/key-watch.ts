import type { Clock, Logger } from '@lanyard/service';
import type { Channels } from './channels.js';
import type { KeyDirectory } from './key-directory.js';

const againMs = 1_000;
const judgedAtOnce = 8;

/**
 * Carries changes of keys over to their channels: one that is deleted ends its channel, one that was reset or revoked
 * stops its callback. Every replica does, so that it is done although some are dead. Until it is done, a callback of
 * the key is not called by this replica, whatever PostgreSQL and Redis have to say.
 */
export class KeyWatch {
  /** Key -> how often it changed; gone when its channel is in order. */
  private readonly undecided = new Map<string, number>();
  private changes = 0;
  private working: Promise<void> | undefined;
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
    await this.working;
  }

  /** The key changed, and what that means for its channel is not carried out yet. */
  isUndecided(keyId: string): boolean {
    return this.undecided.has(keyId);
  }

  private changed(keyId: string): void {
    this.undecided.set(keyId, ++this.changes);
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private async work(): Promise<void> {
    while (this.undecided.size > 0 && !this.stopping.signal.aborted) {
      const some = [...this.undecided].slice(0, judgedAtOnce);
      const done = await Promise.all(some.map(([keyId, change]) => this.decide(keyId, change)));
      // What failed comes after what has not been tried.
      if (done.includes(false)) await this.clock.sleep(againMs, this.stopping.signal);
    }
  }

  private async decide(keyId: string, change: number): Promise<boolean> {
    try {
      if (this.keys.isGone(keyId)) await this.channels.end(keyId, { status: 'deleted', reason: 'its key was deleted' });
      else await this.channels.judge(keyId);
      if (this.undecided.get(keyId) === change) this.undecided.delete(keyId);
      return true;
    } catch (err) {
      this.logger.warn({ err, channelId: keyId }, 'change of a key not carried over to its channel yet');
      const latest = this.undecided.get(keyId) ?? change;
      this.undecided.delete(keyId);
      this.undecided.set(keyId, latest);
      return false;
    }
  }
}
