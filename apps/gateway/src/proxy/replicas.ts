import { CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import type { GatewayConfig } from '../config.js';
import { type Upstream, upstreams } from '../upstreams.js';

const connectTimeoutMs = 2_000;

/** Longer than the longest poll (30 s) and than clients wait (60 s). */
const headersTimeoutMs = 65_000;
const bodyTimeoutMs = 65_000;

/** For this time after a failed connect a replica is tried last, so that a dead host costs one time-out only. */
const triedLastMs = 2_000;

export interface Replica {
  url: URL;
  pool: Pool;
  /** Records that no connection could be made: the replica is tried last for a while. */
  markUnreachable(): void;
}

class Replicas {
  private readonly replicas: (Replica & { failedAtMs: number })[];
  private nextStart = 0;

  constructor(
    urls: readonly string[],
    private readonly clock: Clock,
  ) {
    this.replicas = urls.map((text) => {
      const url = new URL(text);
      const replica = {
        url,
        pool: new Pool(url.origin, {
          connect: { timeout: connectTimeoutMs },
          headersTimeout: headersTimeoutMs,
          bodyTimeout: bodyTimeoutMs,
        }),
        failedAtMs: -Infinity,
        markUnreachable: () => void (replica.failedAtMs = clock.now()),
      };
      return replica;
    });
  }

  /**
   * All replicas, in the order in which to try them for one request. A single address is tried twice: behind a Kubernetes
   * Service there are several replicas, and another connection may reach another one.
   */
  order(): readonly Replica[] {
    if (this.replicas.length === 1) return [...this.replicas, ...this.replicas];
    const start = this.nextStart++ % this.replicas.length;
    const rotated = [...this.replicas.slice(start), ...this.replicas.slice(0, start)];
    const now = this.clock.now();
    // The absolute difference, so that none is tried last for longer when the clock is set back.
    const isLast = ({ failedAtMs }: { failedAtMs: number }): boolean => Math.abs(now - failedAtMs) < triedLastMs;
    return [...rotated.filter((replica) => !isLast(replica)), ...rotated.filter(isLast)];
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ pool }) => pool.destroy()));
  }
}

@Injectable()
export class UpstreamReplicas implements OnApplicationShutdown {
  private readonly replicas: Readonly<Record<Upstream, Replicas>>;

  constructor(@Inject(CONFIG) config: GatewayConfig, @Inject(CLOCK) clock: Clock) {
    this.replicas = Object.fromEntries(
      upstreams.map((upstream) => [upstream, new Replicas(config.replicas[upstream], clock)]),
    ) as Record<Upstream, Replicas>;
  }

  replicasOf(upstream: Upstream): Replicas {
    return this.replicas[upstream];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.replicas).map((replicas) => replicas.close()));
  }
}
