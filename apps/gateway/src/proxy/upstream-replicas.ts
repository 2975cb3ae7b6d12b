import { CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import { type Upstream, upstreams } from '../upstreams.js';
import { Replicas } from './replicas.js';

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
