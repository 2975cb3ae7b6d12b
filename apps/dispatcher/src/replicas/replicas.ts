import { KafkaBatchServer } from '@lanyard/kafka';
import { type Clock, type Logger, LOGGER, subscriberCount, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { releaseHeld } from '../queue/release-held.js';
import { Keys } from '../queue/keys.js';
import { RedisLink } from '../queue/redis-link.js';
import { SharedClock } from '../queue/shared-clock.js';
import { OWNER } from '../queue/tokens.js';

/** How often a replica sends a heartbeat. */
const heartbeatPeriodMs = 500;

/** A replica that is silent for this long is considered dead, and its channels are released. */
const silenceMaxMs = 5_000;

/** A replica that is silent for this long, and is no longer connected either, was killed. */
const disconnectedMaxMs = 1_200;

/** A replica that could not check for this long, because Redis was away or it paused, cannot tell whether others are silent. */
const blindMaxMs = 3 * heartbeatPeriodMs;

/** At every nth heartbeat, a replica also looks for holds of replicas that send no heartbeats at all. */
const holdersEveryHeartbeats = 10;

/** `dispatcher-0#5f1c…` is a process of the replica dispatcher-0. */
const replicaOf = (owner: string): string => owner.slice(0, owner.lastIndexOf('#'));

/**
 * Leases of whole replicas: instead of renewing a lease per channel, each replica increments one number. Another replica that
 * sees the number unchanged for long enough, by its own monotonic clock, frees everything that the silent one held. It does so
 * earlier when the silent one's subscription is gone too, because the kernel closes the connections of a killed process. No
 * clocks are compared, and a replica that was only slow finds its tokens void.
 */
@Injectable()
export class Replicas {
  /** When each other replica was first seen with its present number of heartbeats, by the monotonic clock. */
  private readonly seen = new Map<string, { heartbeats: string; sinceMs: number }>();
  private checkedAtMs = 0;
  private heartbeats = 0;
  private heartbeatTimer: Timer | undefined;
  private readonly socketsLostListeners: ((channelIds: readonly string[]) => void)[] = [];

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly clock: Clock,
    /** Names this process, not only the replica. */
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(KafkaBatchServer) private readonly consumers: Pick<KafkaBatchServer, 'evict'>,
  ) {}

  /** Called with the channels whose sockets were lost with a replica. */
  onSocketsLost(listener: (channelIds: readonly string[]) => void): void {
    this.socketsLostListeners.push(listener);
  }

  async start(): Promise<void> {
    await this.sendHeartbeat();
    const earlier = (await this.link.redis.hkeys(this.keys.replicas)).filter(
      (other) => other !== this.owner && replicaOf(other) === replicaOf(this.owner),
    );
    // Earlier processes of this replica, before its restart: no need to wait for their time-out.
    for (const owner of earlier) await this.releaseHeld(owner);
    this.heartbeatTimer = this.clock.every(heartbeatPeriodMs, () => {
      this.sendHeartbeat().catch((err: unknown) => this.logger.warn({ err }, 'heartbeat failed'));
    });
  }

  /** Frees everything that this replica still holds. */
  async stop(): Promise<void> {
    this.heartbeatTimer?.cancel();
    await this.releaseHeld().catch((err: unknown) => this.logger.warn({ err }, 'handover failed'));
  }

  /** Frees what a replica held: by default this replica, which starts over after a loss of Redis. */
  async releaseHeld(owner = this.owner): Promise<void> {
    const lost = await Promise.all(
      this.keys.shards.map((shard) => releaseHeld(this.link, shard, owner, this.clock.now())),
    );
    await this.link.redis.hdel(this.keys.replicas, owner);
    this.seen.delete(owner);
    const channelIds = lost.flat();
    for (const listener of this.socketsLostListeners) listener(channelIds);
  }

  private async sendHeartbeat(): Promise<void> {
    await this.link.run('heartbeat', [this.keys.replicas], [this.owner]);
    const replicas = await this.link.redis.hgetall(this.keys.replicas);
    if (this.heartbeats++ % holdersEveryHeartbeats === 0)
      for (const owner of await this.ownersOfChannels()) replicas[owner] ??= '';
    if (performance.now() - this.checkedAtMs > blindMaxMs) this.seen.clear();
    this.checkedAtMs = performance.now();
    for (const [owner, heartbeats] of Object.entries(replicas)) {
      if (owner === this.owner || !(await this.isGone(owner, heartbeats))) continue;
      this.logger.warn({ owner }, 'a replica is silent: its channels are free');
      await this.releaseHeld(owner);
      const others = Object.keys(replicas).filter((other) => other !== owner);
      // No process of this replica is left.
      if (!others.some((other) => replicaOf(other) === replicaOf(owner))) void this.consumers.evict(replicaOf(owner));
    }
  }

  /** Replicas with channels. A replica whose channels were released may have claimed more and died before its next heartbeat. */
  private async ownersOfChannels(): Promise<string[]> {
    const lists = await Promise.all(this.keys.shards.map(({ owners }) => this.link.redis.smembers(owners)));
    return lists.flat();
  }

  private async isGone(owner: string, heartbeats: string): Promise<boolean> {
    const nowMs = performance.now();
    const before = this.seen.get(owner);
    if (before?.heartbeats !== heartbeats) {
      this.seen.set(owner, { heartbeats, sinceMs: nowMs });
      return false;
    }
    const silentMs = nowMs - before.sinceMs;
    return silentMs > silenceMaxMs || (silentMs > disconnectedMaxMs && !(await this.isConnected(owner)));
  }

  private async isConnected(owner: string): Promise<boolean> {
    return (await subscriberCount(this.link.redis, this.keys.bus(owner))) > 0;
  }
}
