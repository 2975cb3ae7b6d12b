import type { HeaderReader } from '@lanyard/contracts';

export interface Received<V> {
  key: string;
  /** Checked against the topic's schema; undefined in a raw handler. */
  value: V;
  raw: Buffer;
  headers: HeaderReader;
  offset: bigint;
  /** When the broker or the producer stamped it, ms. */
  timestampMs: number;
}

/** Messages of one partition, in order. */
export interface Batch<V> {
  /** Without the installation's prefix. */
  topic: string;
  partition: number;
  messages: Received<V>[];
  /** Offset after the last one of this fetch, whether or not its message is in `messages`. */
  nextOffset: bigint;
  /** The partition was revoked, or the consumer stops: another consumer may do the same work now. */
  isStale(): boolean;
}

export type BatchHandler<V> = (batch: Batch<V>) => Promise<void>;

/** Thrown by a handler: this message can never be processed. It goes to the dead letters, the rest is tried again. */
export class PoisonMessage extends Error {
  constructor(
    readonly offset: bigint,
    readonly reason: string,
  ) {
    super(`offset ${offset}: ${reason}`);
    this.name = 'PoisonMessage';
  }
}

/**
 * A store that keeps how far a topic was processed, together with the effects. Its positions take precedence over
 * committed offsets.
 */
export interface StoredPositions {
  /**
   * The next offset to read, of each partition that the store knows. Called again when Kafka has lost messages, and a
   * partition therefore ends before its position: the position must not stay there, or all messages that arrive up to
   * it would count as processed.
   */
  read(topic: string, partitions: number[]): Promise<Map<number, bigint>>;
}
