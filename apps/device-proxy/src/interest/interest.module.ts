import { awaiting } from '@lanyard/service';
import { Module, type OnModuleInit } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { Sessions } from '../sessions/sessions.js';
import { Interest } from './interest.js';
import { SubscriptionBatcher } from './subscription-batcher.js';
import { SubscriptionStore } from './subscription-store.js';

/**
 * Restores the sessions that this replica owned before a restart, with their audiences: only then can values be routed.
 */
@Module({
  imports: [SessionsModule],
  providers: [Interest, SubscriptionBatcher, SubscriptionStore],
  exports: [Interest, SubscriptionBatcher, SubscriptionStore],
})
export class InterestModule implements OnModuleInit {
  constructor(
    private readonly sessions: Sessions,
    private readonly interest: Interest,
  ) {}

  async onModuleInit(): Promise<void> {
    const restored = this.sessions.restore((sessions) => this.interest.loadAll(sessions));
    await awaiting('Redis and PostgreSQL: sessions and their subscriptions', restored);
  }
}
