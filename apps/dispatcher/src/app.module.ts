import { KafkaBatchServer } from '@lanyard/kafka';
import { IdentityModule, type ServiceDefinition } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { ApiModule } from './api/api.module.js';
import { CallbackClientModule } from './callback-client/callback-client.module.js';
import { ChannelsModule } from './channels/channels.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { isUpgrade } from './connections/websocket-server.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { infrastructure } from './infrastructure.js';
import { IntakeModule } from './intake/intake.module.js';
import { KeysModule } from './keys/keys.module.js';
import { QueueModule } from './queue/queue.module.js';
import { RecoveryModule } from './recovery/recovery.module.js';
import { ReplicasModule } from './replicas/replicas.module.js';
import { StoreModule } from './store/store.module.js';
import { TracingModule } from './tracing/tracing.module.js';

/** From the lowest layer up: Nest starts the modules of a list in its order, and stops them in reverse order. */
@Module({
  imports: [
    IdentityModule,
    ...infrastructure,
    QueueModule,
    KeysModule,
    CallbackClientModule,
    TracingModule,
    StoreModule,
    ReplicasModule,
    DeliveryModule,
    ChannelsModule,
    IntakeModule,
    RecoveryModule,
    ConnectionsModule,
    ExplainModule,
    ApiModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition = {
  title: 'Notification channels',
  module: AppModule,
  http: { isUpgrade },
  strategies: [KafkaBatchServer],
};
