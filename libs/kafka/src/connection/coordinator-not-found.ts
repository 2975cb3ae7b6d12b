import { createRequire } from 'node:module';

interface ErrorClass {
  new (message: string): Error & { retriable: boolean };
  prototype: Error;
}

/** The error of kafkajs when no broker knows the coordinator of a group. */
export const { KafkaJSGroupCoordinatorNotFound } = createRequire(import.meta.url)('kafkajs/src/errors.js') as {
  KafkaJSGroupCoordinatorNotFound: ErrorClass;
};

/**
 * kafkajs treats this error as fatal: it ends the consumer, and with it the process. But it is what
 * a consumer meets while the only broker starts again. So it is treated as an error after which the consumer restarts.
 */
Object.defineProperty(KafkaJSGroupCoordinatorNotFound.prototype, 'retriable', {
  get: () => true,
  set: () => undefined,
});
