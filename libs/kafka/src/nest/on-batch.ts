import type { Topic } from '@lanyard/contracts';
import { EventPattern } from '@nestjs/microservices';
import type { Batch } from '../consumer/batch.js';

/** Transport id that ties @OnBatch methods to KafkaBatchServer. */
export const kafkaBatchTransport = Symbol('KafkaBatchTransport');

export interface OnBatchOptions {
  /** Messages are handed over unparsed. */
  raw?: boolean;
  /** The least time between two fetches, see BatchConsumerOptions. */
  fetchIntervalMs?: number;
}

/** For what is only stored: facts that arrive within a tenth of a second are stored together, and reads may lag by as much. */
export const storedTogether: OnBatchOptions = { fetchIntervalMs: 100 };

/** Carries what a handler threw, because Nest would replace a thrown error by one of its own. */
export class Failed {
  constructor(readonly error: unknown) {}
}

export interface OnBatchExtras<V = unknown> {
  topic: Topic<V>;
  options: OnBatchOptions;
}

type Handler<V> = (batch: Batch<V>) => Promise<void>;

/**
 * Method of a Nest controller that gets batches of a topic. When it resolves, the batch is done. When it throws
 * PoisonMessage, that message becomes a dead letter, and the method is called again with the others. When it throws
 * anything else, it is called again with the same batch.
 */
export const OnBatch =
  <V>(topic: Topic<V>, options: OnBatchOptions = {}) =>
  (target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<Handler<V>>): void => {
    const handle = descriptor.value as Handler<V>;
    const guarded = async function (this: unknown, batch: Batch<V>): Promise<unknown> {
      try {
        return await handle.call(this, batch);
      } catch (error) {
        return new Failed(error);
      }
    };
    descriptor.value = guarded as Handler<V>;
    const extras: OnBatchExtras<V> = { topic, options };
    const mark: MethodDecorator = EventPattern<string>(topic.name, kafkaBatchTransport, extras);
    mark(target, name, descriptor);
  };
