import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/channels.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReplicasModule } from '../replicas/replicas.module.js';
import { Recovery } from './recovery.js';

/** Opens the intake at the start, and again after each loss of Redis. */
@Module({ imports: [QueueModule, ReplicasModule, IntakeModule, ChannelsModule], providers: [Recovery] })
export class RecoveryModule {}
