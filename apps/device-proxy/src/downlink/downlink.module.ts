import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { DownlinkClient } from './downlink-client.js';

@Module({
  imports: [SessionsModule, TransportModule, StateModule],
  providers: [DownlinkClient],
  exports: [DownlinkClient],
})
export class DownlinkModule {}
