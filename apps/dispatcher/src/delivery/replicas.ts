import type { Clock, Logger, Timer } from '@lanyard/service';
import type { Keys } from '../queue/keys.js';
import type { RedisLink } from '../queue/redis-link.js';
import { asList, asText } from '../queue/reply.js';

/** A replica shows that it lives this often. */
const beatPeriodMs = 1_000;

/** One that did not for so long is taken for dead: what it holds is free. */
const silenceMaxMs = 5_000;

/**
 * Leases of whole replicas: instead of renewing a lease per channel, each replica counts up one number. Another one
 * that sees the number stand still, by its own monotonic clock, frees everything that the silent one held. No clocks
 * are compared, and a replica that was only slow finds its tokens void.
 */
export class Replicas {
  private readonly seen = new Map<string, { beats: string; sinceMs: number }>();
  private beating: Timer | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    private readonly clock: Clock,
    /** `<replica id>#<random>`: a process, not a name. */
    readonly owner: string,
    private readonly logger: Logger,
    /** Sockets that went with a replica. */
    private readonly onLost: (channels: string[]) => void,
  ) {}

  async start(): Promise<void> {
    await this.beat();
    const own = this.owner.slice(0, this.owner.lastIndexOf('#') + 1);
    const earlier = (await this.link.redis.hkeys(this.keys.replicas)).filter(
      (other) => other !== this.owner && other.startsWith(own),
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
    const lost = await Promise.all(
      this.keys.shards.map(({ base, ready }) => this.link.run('bury-1', [ready], [base, owner, this.clock.now()])),
    );
    await this.link.redis.hdel(this.keys.replicas, owner);
    this.seen.delete(owner);
    this.onLost(lost.flatMap((reply) => asList(reply).map((channel) => asText(channel))));
  }

  private async beat(): Promise<void> {
    await this.link.redis.hincrby(this.keys.replicas, this.owner, 1);
    const replicas = await this.link.redis.hgetall(this.keys.replicas);
    const nowMs = performance.now();
    for (const [owner, beats] of Object.entries(replicas)) {
      const before = this.seen.get(owner);
      if (owner === this.owner) continue;
      if (before?.beats !== beats) this.seen.set(owner, { beats, sinceMs: nowMs });
      else if (nowMs - before.sinceMs > silenceMaxMs) {
        this.logger.warn({ owner }, 'a replica is silent: its channels are free');
        await this.bury(owner);
      }
    }
  }
}
