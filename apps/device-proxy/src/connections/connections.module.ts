import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConnectionStore } from './connection-store.js';
import { KeptConnections } from './kept-connections.js';
import { PeerPort } from './peer-port.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';
import { SharedConnections } from './shared-connections.js';
import { StrayRecords } from './stray-records.js';

/** DTLS connections in Redis and between replicas. The listener starts and stops them. */
@Module({
  imports: [SessionsModule],
  providers: [
    ConnectionStore,
    PeerPort,
    KeptConnections,
    ReplicaEvents,
    ReplicaSlots,
    SharedConnections,
    StrayRecords,
  ],
  exports: [SharedConnections],
})
export class ConnectionsModule {}
