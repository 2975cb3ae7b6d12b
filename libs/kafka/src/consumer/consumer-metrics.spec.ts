import { expect, it } from '@jest/globals';
import { Metrics } from '@lanyard/service';
import type { Batch, KafkaMessage } from 'kafkajs';
import { ConsumerMetrics } from './consumer-metrics.js';

it('counts how many batches were older than 20 s, which LanyardConsumerLagHigh asks for', async () => {
  const metrics = new Metrics('test', 'test');
  const consumer = new ConsumerMetrics(metrics, 'device.values', 'dispatcher');
  const batch = { partition: 0, highWatermark: '1', lastOffset: () => '0' } as unknown as Batch;
  for (const seconds of [6, 10, 25]) {
    const timestamp = String(Date.now() - seconds * 1_000);
    consumer.handled(batch, [{ timestamp } as KafkaMessage]);
  }
  expect(await metrics.registry.metrics()).toMatch(/^lanyard_kafka_batch_age_seconds_bucket\{.*le="20".*\} 2$/m);
});
