import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { Listeners } from './listeners.js';

/** `uplink` opens and closes the listeners. */
@Module({
  imports: [ConnectionsModule, CredentialsModule, SessionsModule, TransportModule, StateModule],
  providers: [Listeners],
  exports: [Listeners],
})
export class ListenersModule {}
