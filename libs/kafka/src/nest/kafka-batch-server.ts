import { exitOnFatal } from '@lanyard/service';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import type { Batch, StoredPositions } from '../consumer/batch.js';
import { BatchConsumer } from '../consumer/batch-consumer.js';
import { Failed, kafkaBatchTransport, type OnBatchExtras } from './on-batch.js';

/** Nest transport: one batch consumer per topic that an @OnBatch method names. */
export class KafkaBatchServer extends Server implements CustomTransportStrategy {
  override readonly transportId = kafkaBatchTransport;
  override readonly propagatesEventHandlerErrors = true;
  private readonly consumers = new Map<string, BatchConsumer<unknown>>();
  private readonly positions = new Map<string, StoredPositions>();

  constructor(
    private readonly connection: KafkaConnection,
    private readonly group: string,
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.startAll().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    const consumers = [...this.consumers.values()];
    this.consumers.clear();
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  }

  /** The position store may have lost recent writes: seeks to its current positions. */
  reseek(topicName: string): void {
    this.consumers.get(topicName)?.reseek();
  }

  /** Offsets of these topics are committed in this store, together with their effects. To be called before consumers start. */
  storePositions(topicNames: readonly string[], positions: StoredPositions): void {
    for (const topicName of topicNames) this.positions.set(topicName, positions);
  }

  /**
   * Removes the process with this client id, which is gone, from the groups of all consumers, so that its partitions
   * are assigned to others now. Never rejects.
   */
  async evict(clientId: string): Promise<void> {
    await Promise.all([...this.consumers.values()].map((consumer) => consumer.evict(clientId)));
  }

  on(): never {
    throw new Error('KafkaBatchServer has no events: failures reach onFatal');
  }

  unwrap<T>(): T {
    return this.connection.kafka as T;
  }

  private async startAll(): Promise<void> {
    for (const [topicName, handler] of this.messageHandlers)
      this.consumers.set(topicName, this.consumer(topicName, handler));
    await Promise.all(
      [...this.consumers].map(([topicName, consumer]) =>
        this.connection.awaiting(`consumers of ${topicName}`, consumer.start()),
      ),
    );
  }

  private consumer(topicName: string, handler: MessageHandler): BatchConsumer<unknown> {
    const { topic, options } = handler.extras as unknown as OnBatchExtras;
    const positions = this.positions.get(topicName);
    return new BatchConsumer(this.connection, {
      topic,
      group: this.group,
      isOnlyOfItsName: true,
      onFatal: exitOnFatal,
      ...options,
      ...(positions && { positions }),
      handler: (batch) => invoke(handler, batch),
    });
  }
}

const invoke = async (handler: MessageHandler, batch: Batch<unknown>): Promise<void> => {
  const answer: unknown = await handler(batch);
  const outcome: unknown = isObservable(answer) ? await lastValueFrom(answer, { defaultValue: undefined }) : answer;
  if (outcome instanceof Failed) throw outcome.error;
};
