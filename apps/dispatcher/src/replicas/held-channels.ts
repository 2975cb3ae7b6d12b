import { Injectable } from '@nestjs/common';
import { Holders } from './holders.js';
import { Replicas } from './replicas.js';

/** All channels that this replica holds, in Redis and in its sockets and polls, across a loss of Redis. */
@Injectable()
export class HeldChannels {
  constructor(
    private readonly replicas: Replicas,
    private readonly holders: Holders,
  ) {}

  /** What this replica held is void. */
  suspend(): void {
    this.holders.suspend();
  }

  /** Makes them free in Redis. */
  async release(): Promise<void> {
    await this.replicas.releaseHeld(this.replicas.owner);
  }

  /** Sockets claim their channels again. */
  resume(): void {
    this.holders.resume();
  }
}
