import { StopDeadline } from '@lanyard/service';
import { type BeforeApplicationShutdown, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CallbackClientModule } from '../callback-client/callback-client.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReplicasModule } from '../replicas/replicas.module.js';
import { StoreModule } from '../store/store.module.js';
import { AccountChannels } from './account-channels.js';
import { ChannelEnds } from './channel-ends.js';
import { Channels } from './channels.js';
import { ConnectionAnnouncer } from './connection-announcer.js';
import { DropReporter } from './drop-reporter.js';
import { CallbackHealth } from './callback-health.js';
import { FailingChannels } from './failing-channels.js';
import { KeyWatch } from './key-watch.js';
import { OneByOne } from './one-by-one.js';
import { Repair } from './repair.js';
import { SigningSecrets } from './signing-secrets.js';
import { Sweeper } from './sweeper.js';
import { Verification } from './verification.js';

/** The life of channels: how they are made and changed, and what ends them. */
@Module({
  imports: [QueueModule, KeysModule, CallbackClientModule, ReplicasModule, StoreModule, DeliveryModule],
  providers: [
    ChannelEnds,
    CallbackHealth,
    KeyWatch,
    Verification,
    Channels,
    AccountChannels,
    FailingChannels,
    SigningSecrets,
    OneByOne,
    Sweeper,
    DropReporter,
    ConnectionAnnouncer,
    Repair,
  ],
  exports: [Channels, AccountChannels, FailingChannels, SigningSecrets, ConnectionAnnouncer, Repair],
})
export class ChannelsModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly watch: KeyWatch,
    private readonly announcer: ConnectionAnnouncer,
    private readonly deadline: StopDeadline,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step('channels', () => this.watch.stop());
  }

  /** Runs after the sockets are closed, because their end is announced. */
  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('connection announcer', () => this.announcer.stop());
  }
}
