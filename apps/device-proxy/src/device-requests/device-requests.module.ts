import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { DeviceRequestsController } from './device-requests.controller.js';
import { WaitingCallers } from './waiting-callers.js';

@Module({
  imports: [SubscriptionsModule, CommandsModule, SessionsModule],
  controllers: [DeviceRequestsController],
  providers: [WaitingCallers],
})
export class DeviceRequestsModule {}
