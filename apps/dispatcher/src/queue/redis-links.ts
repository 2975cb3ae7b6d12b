import { Inject, Injectable } from '@nestjs/common';
import { RedisLink } from './redis-link.js';
import { INTAKE_LINK } from './tokens.js';

/** Both connections of this replica: what it knows about Redis holds only as long as neither breaks. */
@Injectable()
export class RedisLinks {
  private readonly all: readonly RedisLink[];

  constructor(
    private readonly link: RedisLink,
    @Inject(INTAKE_LINK) intakeLink: RedisLink,
  ) {
    this.all = [link, intakeLink];
  }

  /** The value changes with each loss of a connection. */
  get eras(): string {
    return this.all.map(({ era }) => era).join();
  }

  /** Called when one of the connections breaks. */
  onLost(listener: () => void): void {
    for (const link of this.all) link.onLost(listener);
  }

  /** Called when one of the connections is back after a loss. */
  onBack(listener: () => void): void {
    for (const link of this.all) link.onBack(listener);
  }

  /** Rejects when Redis does not answer. */
  async check(): Promise<void> {
    await this.link.redis.ping();
  }

  close(): void {
    for (const link of this.all) link.close();
  }
}
