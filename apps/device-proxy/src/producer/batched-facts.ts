import type { Topic } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { paceMs } from '../db/pace.js';
import { RequestBatcher } from '../db/request-batcher.js';

interface Announced<Fact> {
  fact: Fact;
  /** Id of the message; undefined: a new one. */
  id: string | undefined;
}

/** The facts of a batch share a request to Kafka; each succeeds or fails separately. */
export class BatchedFacts<Fact> {
  private readonly batches = new RequestBatcher(
    (batch: readonly Announced<Fact>[]) =>
      Promise.allSettled(batch.map(({ fact, id }) => this.producer.send(this.topic, fact, { id }))),
    { paceMs },
  );

  constructor(
    private readonly producer: KafkaProducer,
    private readonly topic: Topic<Fact>,
  ) {}

  /** Resolves when Kafka has stored the fact. */
  async send(fact: Fact, id?: string): Promise<void> {
    const result = await this.batches.submit({ fact, id });
    if (result.status === 'rejected') throw result.reason;
  }
}
