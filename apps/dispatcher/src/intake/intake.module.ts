import { KafkaBatchServer, KafkaConnection } from '@lanyard/kafka';
import { type Clock, type Logger, LOGGER, StopDeadline } from '@lanyard/service';
import { type BeforeApplicationShutdown, Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { Telemetry } from '../delivery/telemetry.js';
import { KeysModule } from '../keys/keys.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ReplicasModule } from '../replicas/replicas.module.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { ArrivalTimes } from './arrival-times.js';
import { FactsConsumer } from './facts.consumer.js';
import { AppendNotifier } from './append-notifier.js';
import { Intake } from './intake.js';
import { IntakeGate } from './intake-gate.js';
import { KafkaPositions } from './kafka-positions.js';
import { Replay } from './replay.js';
import { ShardAppenders } from './shard-appenders.js';
import { sourceNames } from './sources.js';

/** The path of events from Kafka into the queues. */
@Module({
  imports: [KeysModule, QueueModule, TracingModule, ReplicasModule, DeliveryModule],
  controllers: [FactsConsumer],
  providers: [
    {
      provide: ArrivalTimes,
      inject: [KafkaConnection, SharedClock, LOGGER],
      useFactory: (kafka: KafkaConnection, clock: Clock, logger: Logger) =>
        new ArrivalTimes(kafka, sourceNames, clock, logger),
    },
    Replay,
    ShardAppenders,
    AppendNotifier,
    Intake,
    KafkaPositions,
    IntakeGate,
  ],
  exports: [Intake, IntakeGate],
})
export class IntakeModule implements BeforeApplicationShutdown {
  constructor(
    private readonly consumers: KafkaBatchServer,
    private readonly deadline: StopDeadline,
    positions: KafkaPositions,
    replay: Replay,
    telemetry: Telemetry,
  ) {
    consumers.storePositions(sourceNames, positions);
    telemetry.replay(() => replay.left());
  }

  /** Runs before the loops of lower modules end: what is appended until then may still be delivered. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step('intake', () => this.consumers.close());
  }
}
