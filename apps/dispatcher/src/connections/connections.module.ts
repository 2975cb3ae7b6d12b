import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/channels.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReplicasModule } from '../replicas/replicas.module.js';
import { StoreModule } from '../store/store.module.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { Pull } from './pull.js';
import { SocketBinding } from './socket-binding.js';
import { WebSocketServer } from './websocket-server.js';
import { WebSocketSessions } from './websocket-sessions.js';

/** Channels to which applications connect: sockets and long polls. */
@Module({
  imports: [QueueModule, KeysModule, ReplicasModule, TracingModule, StoreModule, DeliveryModule, ChannelsModule],
  providers: [SocketBinding, WebSocketSessions, WebSocketServer, Pull],
  exports: [Pull],
})
export class ConnectionsModule {}
