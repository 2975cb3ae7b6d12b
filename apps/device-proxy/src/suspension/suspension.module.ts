import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { FirmwareModule } from '../firmware/firmware.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { ListenersModule } from '../listeners/listeners.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { AccountSuspensions } from './account-suspensions.js';
import { DeviceDisconnector } from './device-disconnector.js';

@Module({
  imports: [
    SubscriptionsModule,
    CommandsModule,
    ListenersModule,
    FirmwareModule,
    IntakeModule,
    SessionsModule,
    StateModule,
    TransportModule,
  ],
  providers: [AccountSuspensions, DeviceDisconnector],
})
export class SuspensionModule {}
