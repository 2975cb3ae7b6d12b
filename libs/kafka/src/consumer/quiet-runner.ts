import { createRequire } from 'node:module';

/** The part of kafkajs' consumer that hands over batches. */
interface Runner {
  readonly running: boolean;
  readonly eachBatch: unknown;
  readonly autoCommit: boolean;
  handleBatch(batch: { isEmpty(): boolean }): Promise<void>;
  processEachBatch(batch: object): Promise<void>;
  heartbeat(): Promise<void>;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js') as { prototype: Runner };
const { handleBatch } = prototype;

/**
 * kafkajs emits events at the start and end of each batch. They have no listener, and building them takes BigInt and a
 * hidden class for each (ADR 12).
 */
prototype.handleBatch = async function (batch) {
  if (!this.running || !this.eachBatch || this.autoCommit || batch.isEmpty()) return handleBatch.call(this, batch);
  await this.processEachBatch(batch);
  await this.heartbeat();
};
