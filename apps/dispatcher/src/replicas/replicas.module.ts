import { awaiting, StopDeadline } from '@lanyard/service';
import { Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { WakeUpBus } from './wake-up-bus.js';
import { Holders } from './holders.js';
import { Replicas } from './replicas.js';

/** What the replicas know about each other and tell each other. A replica shows that it lives once it knows the keys (KeysModule). */
@Module({
  imports: [QueueModule, KeysModule],
  providers: [Holders, WakeUpBus, Replicas],
  exports: [Holders, WakeUpBus, Replicas],
})
export class ReplicasModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly bus: WakeUpBus,
    private readonly replicas: Replicas,
    private readonly deadline: StopDeadline,
  ) {}

  /** The bus starts first: a replica that sends heartbeats without listening looks like one that was killed. */
  async onModuleInit(): Promise<void> {
    await awaiting('Redis: messages of other replicas', this.bus.start());
    await awaiting('Redis: other replicas', this.replicas.start());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('hold of channels', () => this.replicas.stop());
    this.bus.stop();
  }
}
