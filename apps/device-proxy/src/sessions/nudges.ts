import { awaiting, CONFIG, REDIS, type RedisClient } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { sessionKeys, type SessionKeys } from './keys.js';
import type { FreshValue } from './notified-values.js';
import { REDIS_SUBSCRIBER } from './redis-connections.js';

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

type About = Nudge['about'];
type NudgeListener<A extends About> = (nudge: Extract<Nudge, { about: A }>) => void;

/** Hints between the replicas of this service, over Redis pub/sub. */
@Injectable()
export class Nudges implements OnModuleInit {
  private readonly listeners = new Map<About, ((nudge: Nudge) => void)[]>();
  private readonly lost = new Set<() => void>();
  private readonly keys: SessionKeys;
  private readonly replicaId: string;
  private subscribed = false;

  constructor(
    @Inject(REDIS) private readonly publisher: RedisClient,
    @Inject(REDIS_SUBSCRIBER) private readonly subscriber: RedisClient,
    @Inject(CONFIG) { redisPrefix, replicaId }: Pick<DeviceProxyConfig, 'redisPrefix' | 'replicaId'>,
  ) {
    this.keys = sessionKeys(redisPrefix);
    this.replicaId = replicaId;
  }

  async onModuleInit(): Promise<void> {
    this.subscriber.on('message', (_channel: string, text: string) => this.deliver(JSON.parse(text) as Nudge));
    // ioredis subscribes again by itself; what was said in between is gone.
    this.subscriber.on('ready', () => {
      if (this.subscribed) for (const listener of this.lost) listener();
    });
    const subscribing = this.subscriber.subscribe(this.keys.nudge(this.replicaId), this.keys.nudgeAll);
    await awaiting('Redis: messages of other replicas', subscribing);
    this.subscribed = true;
  }

  on<A extends About>(about: A, listener: NudgeListener<A>): void {
    const listeners = this.listeners.get(about) ?? [];
    this.listeners.set(about, [...listeners, listener as (nudge: Nudge) => void]);
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
    for (const listener of this.listeners.get(nudge.about) ?? []) listener(nudge);
  }
}
