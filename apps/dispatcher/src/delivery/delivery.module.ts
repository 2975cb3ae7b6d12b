import { type Clock, CONFIG, StopDeadline } from '@lanyard/service';
import { type BeforeApplicationShutdown, Module } from '@nestjs/common';
import { CallbackClientModule } from '../callback-client/callback-client.module.js';
import type { DispatcherConfig } from '../config.js';
import { KeysModule } from '../keys/keys.module.js';
import { LocalClock } from '../queue/local-clock.js';
import { QueueModule } from '../queue/queue.module.js';
import { RecentChunks } from '../queue/recent-chunks.js';
import { ReplicasModule } from '../replicas/replicas.module.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { BodyBuffers } from './body-buffers.js';
import { CallbackDelivery } from './callback-delivery.js';
import { CallbackRequests } from './callback-requests.js';
import { CallbackTargets } from './callback-targets.js';
import { DeliverySlots } from './delivery-slots.js';
import { DueChannels } from './due-channels.js';
import { LastMessages } from './last-messages.js';
import { ReadyLoop } from './ready-loop.js';
import { Telemetry } from './telemetry.js';

/** Delivery to callbacks, and what it shares with sockets and polls. */
@Module({
  imports: [QueueModule, KeysModule, CallbackClientModule, TracingModule, ReplicasModule],
  providers: [
    Telemetry,
    BodyBuffers,
    CallbackTargets,
    CallbackRequests,
    CallbackDelivery,
    DueChannels,
    LastMessages,
    {
      provide: DeliverySlots,
      inject: [LocalClock, CONFIG],
      useFactory: (clock: Clock, { callback }: DispatcherConfig) => new DeliverySlots(clock, callback.concurrency),
    },
    ReadyLoop,
  ],
  exports: [Telemetry, BodyBuffers, CallbackDelivery, LastMessages, ReadyLoop],
})
export class DeliveryModule implements BeforeApplicationShutdown {
  constructor(
    private readonly loop: ReadyLoop,
    private readonly deadline: StopDeadline,
    telemetry: Telemetry,
    recent: RecentChunks,
  ) {
    telemetry.recentBytes(() => recent.size);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step('callbacks', () => this.loop.stop());
  }
}
