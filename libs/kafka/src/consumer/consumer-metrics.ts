import type { Metrics } from '@lanyard/service';
import type { Batch, KafkaMessage } from 'kafkajs';

const msPerSecond = 1_000;

/** Metrics of one consumer. It may handle a thousand batches a second, so labels are resolved once. */
export class ConsumerMetrics {
  /** The lag of each partition after its last handled batch. */
  private readonly lags = new Map<number, number>();
  /** The lag of partitions whose batch is in flight. The batch counts until it has ended: a consumer may be stuck with its first one. */
  private readonly lagsInFlight = new Map<number, number>();
  private readonly lag;
  private readonly messages;
  private readonly age;

  constructor(
    metrics: Metrics,
    private readonly topic: string,
    private readonly group: string,
  ) {
    this.lag = metrics.gauge({
      name: 'lanyard_kafka_consumer_lag',
      help: 'Messages of assigned partitions that are not handled yet',
      labelNames: ['topic', 'group', 'partition'],
    });
    const labels = { topic, group };
    this.messages = metrics
      .histogram({
        name: 'lanyard_kafka_batch_messages',
        help: 'Messages per batch',
        labelNames: ['topic', 'group'],
        buckets: [1, 10, 100, 1_000, 10_000],
      })
      .labels(labels);
    this.age = metrics
      .histogram({
        name: 'lanyard_kafka_batch_age_seconds',
        help: 'Age of the oldest message of a batch when handled',
        labelNames: ['topic', 'group'],
        // 20: the threshold of LanyardConsumerLagHigh. Between two bounds, Prometheus interpolates.
        buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 20, 30, 300],
      })
      .labels(labels);
  }

  fetched(batch: Batch): void {
    const first = Number(batch.firstOffset() ?? batch.lastOffset());
    this.lagsInFlight.set(batch.partition, Number(batch.highWatermark) - first);
  }

  /** Whether it was handled or abandoned. */
  ended({ partition }: Batch): void {
    this.lagsInFlight.delete(partition);
    if (!this.lags.has(partition)) this.removeLag(partition);
  }

  /** `messages`: those of the batch that were handled. */
  handled(batch: Batch, messages: readonly KafkaMessage[]): void {
    this.lags.set(batch.partition, Number(batch.highWatermark) - Number(batch.lastOffset()) - 1);
    this.messages.observe(messages.length);
    const [oldest] = messages;
    if (oldest) this.age.observe(Math.max(0, Date.now() - Number(oldest.timestamp)) / msPerSecond);
  }

  /** Removes partitions that another replica has now: their last lag would otherwise stay in the metrics of this one. */
  assigned(partitions: readonly number[]): void {
    for (const partition of [...this.lags.keys(), ...this.lagsInFlight.keys()]) {
      if (partitions.includes(partition)) continue;
      this.lags.delete(partition);
      this.lagsInFlight.delete(partition);
      this.removeLag(partition);
    }
  }

  /** Sets the gauge of each partition to how far it is behind, as of its last fetch. */
  publishLags(): void {
    const { topic, group } = this;
    for (const [partition, lag] of new Map([...this.lags, ...this.lagsInFlight]))
      this.lag.set({ topic, group, partition: String(partition) }, Math.max(0, lag));
  }

  private removeLag(partition: number): void {
    const { topic, group } = this;
    this.lag.remove({ topic, group, partition: String(partition) });
  }
}
