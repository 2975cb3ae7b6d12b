import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { Asker } from './asker.js';

@Module({ imports: [SessionsModule, TransportModule, StateModule], providers: [Asker], exports: [Asker] })
export class DownlinkModule {}
