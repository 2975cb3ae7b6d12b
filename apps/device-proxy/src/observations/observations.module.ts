import { Module } from '@nestjs/common';
import { DownlinkModule } from '../downlink/downlink.module.js';
import { EventsModule } from '../events/events.module.js';
import { FirmwareModule } from '../firmware/firmware.module.js';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { Observer } from './observer.js';
import { Receivers } from './receivers.js';
import { Values } from './values.js';

@Module({
  imports: [DownlinkModule, FirmwareModule, EventsModule, SessionsModule, ProducerModule, TransportModule, StateModule],
  providers: [Observer, Receivers, Values],
  exports: [Observer, Receivers, Values],
})
export class ObservationsModule {}
