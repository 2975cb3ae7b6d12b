import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { DownlinkModule } from '../downlink/downlink.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { DevicesBehind } from './devices-behind.js';
import { Lwm2mGateways } from './lwm2m-gateways.js';
import { RefusedDevices } from './refused-devices.js';

/** Devices behind gateways (object 25). */
@Module({
  imports: [
    SubscriptionsModule,
    CommandsModule,
    IntakeModule,
    ObservationsModule,
    DownlinkModule,
    SessionsModule,
    ProducerModule,
    StateModule,
  ],
  providers: [DevicesBehind, Lwm2mGateways, RefusedDevices],
  exports: [Lwm2mGateways],
})
export class Lwm2mGatewaysModule {}
