import { type Clock, type Logger, subscriberCount, type Timer } from '@lanyard/service';
import { bury } from '../queue/bury.js';
import type { Keys } from '../queue/keys.js';
import type { RedisLink } from '../queue/redis-link.js';

/** A replica shows that it lives this often. */
const beatPeriodMs = 500;

/** One that did not for so long is taken for dead: what it holds is free. */
const silenceMaxMs = 5_000;

/** One that did not for so long, and is no longer connected either, was killed. */
const disconnectedMaxMs = 1_200;

/** Whoever could not look for so long, because Redis was away or it stood still itself, knows nothing of the others. */
const blindMaxMs = 3 * beatPeriodMs;

/** Every so many beats it is looked for holds of replicas that do not beat at all. */
const holdersEveryBeats = 10;

/** `dispatcher-0#5f1c…` is a process of the replica dispatcher-0. */
const replicaOf = (owner: string): string => owner.slice(0, owner.lastIndexOf('#'));

export interface Losses {
  /** Sockets that went with a replica. */
  sockets(channels: string[]): void;
  /** No process of this replica is left. */
  replica(replicaId: string): void;
}

/**
 * Leases of whole replicas: instead of renewing a lease per channel, each replica counts up one number. Another one
 * that sees the number stand still, by its own monotonic clock, frees everything that the silent one held; sooner when
 * the silent one's subscription is gone too, for the kernel closes the connections of a process that was killed. No
 * clocks are compared, and a replica that was only slow finds its tokens void.
 */
export class Replicas {
  private readonly seen = new Map<string, { beats: string; sinceMs: number }>();
  private lookedAtMs = 0;
  private beats = 0;
  private beating: Timer | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    private readonly clock: Clock,
    /** `<replica id>#<random>`: a process, not a name. */
    readonly owner: string,
    private readonly logger: Logger,
    private readonly losses: Losses,
  ) {}

  async start(): Promise<void> {
    await this.beat();
    const earlier = (await this.link.redis.hkeys(this.keys.replicas)).filter(
      (other) => other !== this.owner && replicaOf(other) === replicaOf(this.owner),
    );
    // This replica, before its restart: nobody needs to wait for its silence.
    for (const owner of earlier) await this.bury(owner);
    this.beating = this.clock.every(beatPeriodMs, () => {
      this.beat().catch((err: unknown) => this.logger.warn({ err }, 'heartbeat failed'));
    });
  }

  /** Everything that this replica still holds is free for the others. */
  async stop(): Promise<void> {
    this.beating?.cancel();
    await this.bury(this.owner).catch((err: unknown) => this.logger.warn({ err }, 'could not hand over'));
  }

  /** Frees what a replica held. Also for this one, when it lost Redis and starts over. */
  async bury(owner: string): Promise<void> {
    const lost = await Promise.all(this.keys.shards.map((shard) => bury(this.link, shard, owner, this.clock.now())));
    await this.link.redis.hdel(this.keys.replicas, owner);
    this.seen.delete(owner);
    this.losses.sockets(lost.flat());
  }

  private async beat(): Promise<void> {
    await this.link.run('beat', [this.keys.replicas], [this.owner]);
    const replicas = await this.link.redis.hgetall(this.keys.replicas);
    if (this.beats++ % holdersEveryBeats === 0) for (const owner of await this.holders()) replicas[owner] ??= '';
    if (performance.now() - this.lookedAtMs > blindMaxMs) this.seen.clear();
    this.lookedAtMs = performance.now();
    for (const [owner, beats] of Object.entries(replicas)) {
      if (owner === this.owner || !(await this.isGone(owner, beats))) continue;
      this.logger.warn({ owner }, 'a replica is silent: its channels are free');
      await this.bury(owner);
      const others = Object.keys(replicas).filter((other) => other !== owner);
      if (!others.some((other) => replicaOf(other) === replicaOf(owner))) this.losses.replica(replicaOf(owner));
    }
  }

  /** Whoever has channels. One that was buried may have taken some before its next beat, and died before it too. */
  private async holders(): Promise<string[]> {
    const lists = await Promise.all(this.keys.shards.map(({ owners }) => this.link.redis.smembers(owners)));
    return lists.flat();
  }

  private async isGone(owner: string, beats: string): Promise<boolean> {
    const nowMs = performance.now();
    const before = this.seen.get(owner);
    if (before?.beats !== beats) {
      this.seen.set(owner, { beats, sinceMs: nowMs });
      return false;
    }
    const silentMs = nowMs - before.sinceMs;
    return silentMs > silenceMaxMs || (silentMs > disconnectedMaxMs && !(await this.isConnected(owner)));
  }

  private async isConnected(owner: string): Promise<boolean> {
    return (await subscriberCount(this.link.redis, this.keys.bus(owner))) > 0;
  }
}
