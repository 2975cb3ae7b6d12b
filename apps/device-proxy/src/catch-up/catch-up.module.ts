import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { ChangeRetention } from './change-retention.js';
import { CatchUp } from './catch-up.js';

@Module({
  imports: [SubscriptionsModule, CommandsModule, SessionsModule],
  providers: [CatchUp, ChangeRetention],
  exports: [CatchUp],
})
export class CatchUpModule {}
