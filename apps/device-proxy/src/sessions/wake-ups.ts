import { awaiting, CONFIG, keepSubscribed, REDIS, type RedisClient } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { sessionKeys, type SessionKeys } from './keys.js';
import type { FreshValue } from './notified-values.js';
import { REDIS_SUBSCRIBER } from './redis-connections.js';

/**
 * A hint to re-read stored state; losing one costs time, never correctness.
 * - `session`: copies of the session with an earlier epoch are outdated, for example because it was taken over.
 * - `commands`: a command waits for the device.
 * - `interest`: the subscriptions to the device have changed.
 * - `cached?`: asks for the cached value of a path.
 * - `cached`: the answer to that.
 * - `finished`: a command that the receiver accepted has its result.
 * - `rules`: the presubscriptions of an account have changed.
 */
export type WakeUp =
  | { about: 'session'; deviceId: string; epoch: number }
  | { about: 'commands'; deviceId: string }
  | { about: 'interest'; deviceId: string }
  | { about: 'cached?'; deviceId: string; epoch: number; path: string; question: string; replyTo: string }
  | { about: 'cached'; question: string; value?: FreshValue }
  | { about: 'finished'; commandId: string; asyncId: string; succeeded: boolean }
  | { about: 'rules'; accountId: string };

type About = WakeUp['about'];
type WakeUpListener<A extends About> = (wakeUp: Extract<WakeUp, { about: A }>) => void;

/** Wake-ups between the replicas of this service, over Redis pub/sub. */
@Injectable()
export class WakeUps implements OnModuleInit {
  private readonly listeners = new Map<About, ((wakeUp: WakeUp) => void)[]>();
  private readonly lostListeners = new Set<() => void>();
  private readonly keys: SessionKeys;

  constructor(
    @Inject(REDIS) private readonly publisher: RedisClient,
    @Inject(REDIS_SUBSCRIBER) private readonly subscriber: RedisClient,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'redisPrefix' | 'replicaId'>,
  ) {
    this.keys = sessionKeys(config.redisPrefix);
  }

  async onModuleInit(): Promise<void> {
    this.subscriber.on('message', (_channel: string, text: string) => this.deliver(JSON.parse(text) as WakeUp));
    const channels = [this.keys.wakeUp(this.config.replicaId), this.keys.wakeUpAll];
    const subscribing = keepSubscribed(this.subscriber, channels, () => {
      for (const listener of this.lostListeners) listener();
    });
    await awaiting('Redis: messages of other replicas', subscribing);
  }

  on<A extends About>(about: A, listener: WakeUpListener<A>): void {
    const listeners = this.listeners.get(about) ?? [];
    this.listeners.set(about, [...listeners, listener as (wakeUp: WakeUp) => void]);
  }

  /** The listener is called when wake-ups may have been lost: it checks all that they could have announced. */
  onLost(listener: () => void): void {
    this.lostListeners.add(listener);
  }

  /** Sends to one replica, which may be this one. */
  async send(replicaId: string, wakeUp: WakeUp): Promise<void> {
    if (replicaId === this.config.replicaId) return this.deliver(wakeUp);
    await this.publisher.publish(this.keys.wakeUp(replicaId), JSON.stringify(wakeUp));
  }

  /** Sends to every replica; this one gets it at once. */
  async broadcast(wakeUp: WakeUp): Promise<void> {
    this.deliver(wakeUp);
    await this.publisher.publish(this.keys.wakeUpAll, JSON.stringify(wakeUp));
  }

  private deliver(wakeUp: WakeUp): void {
    for (const listener of this.listeners.get(wakeUp.about) ?? []) listener(wakeUp);
  }
}
