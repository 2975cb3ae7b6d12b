import type { RedisClient } from '@lanyard/service';
import type { SessionKeys } from './keys.js';
import type { FreshValue } from './notified-values.js';

/**
 * A hint to look again at something that is stored; losing one costs time, never correctness.
 * session: another replica took the session over. commands: one waits for the device. interest: the device's
 * subscriptions changed. cached?: what you keep of a path. cached: the answer. finished: a command that you accepted has its result. rules: an account's presubscriptions changed.
 */
export type Nudge =
  | { about: 'session'; deviceId: string; epoch: number }
  | { about: 'commands'; deviceId: string }
  | { about: 'interest'; deviceId: string }
  | { about: 'cached?'; deviceId: string; epoch: number; path: string; question: string; replyTo: string }
  | { about: 'cached'; question: string; value?: FreshValue }
  | { about: 'finished'; commandId: string; asyncId: string; succeeded: boolean }
  | { about: 'rules'; accountId: string };

export type NudgeListener = (nudge: Nudge) => void;

/** Hints between the replicas of this service, over Redis pub/sub. */
export class Nudges {
  private readonly listeners = new Set<NudgeListener>();
  private readonly lost = new Set<() => void>();
  private subscribed = false;

  constructor(
    private readonly publisher: RedisClient,
    private readonly subscriber: RedisClient,
    private readonly keys: SessionKeys,
    private readonly replicaId: string,
  ) {}

  async start(): Promise<void> {
    this.subscriber.on('message', (_channel: string, text: string) => this.deliver(JSON.parse(text) as Nudge));
    // ioredis subscribes again by itself; what was said in between is gone.
    this.subscriber.on('ready', () => {
      if (this.subscribed) for (const listener of this.lost) listener();
    });
    await this.subscriber.subscribe(this.keys.nudge(this.replicaId), this.keys.nudgeAll);
    this.subscribed = true;
  }

  on(listener: NudgeListener): void {
    this.listeners.add(listener);
  }

  /** Nudges may have been lost: look at everything. */
  onLost(listener: () => void): void {
    this.lost.add(listener);
  }

  /** One replica, which may be this one. */
  async tell(replicaId: string, nudge: Nudge): Promise<void> {
    if (replicaId === this.replicaId) return this.deliver(nudge);
    await this.publisher.publish(this.keys.nudge(replicaId), JSON.stringify(nudge));
  }

  /** Every replica, this one at once. */
  async tellAll(nudge: Nudge): Promise<void> {
    this.deliver(nudge);
    await this.publisher.publish(this.keys.nudgeAll, JSON.stringify(nudge));
  }

  private deliver(nudge: Nudge): void {
    for (const listener of this.listeners) listener(nudge);
  }
}
