import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConnectionStore } from './connection-store.js';
import { OwnedConnections } from './owned-connections.js';
import { PeerPort } from './peer-port.js';
import { RecordForwarder } from './record-forwarder.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';
import { SharedConnections } from './shared-connections.js';

/** DTLS connections in Redis and between replicas. The listener starts and stops them. */
@Module({
  imports: [SessionsModule],
  providers: [
    ConnectionStore,
    PeerPort,
    OwnedConnections,
    ReplicaEvents,
    ReplicaSlots,
    SharedConnections,
    RecordForwarder,
  ],
  exports: [SharedConnections],
})
export class ConnectionsModule {}
