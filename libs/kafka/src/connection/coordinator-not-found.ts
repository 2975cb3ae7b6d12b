import { createRequire } from 'node:module';

interface ErrorClass {
  new (message: string): Error & { retriable: boolean };
  prototype: Error;
}

/** What kafkajs throws when no broker could say who coordinates a group. */
export const { KafkaJSGroupCoordinatorNotFound } = createRequire(import.meta.url)('kafkajs/src/errors.js') as {
  KafkaJSGroupCoordinatorNotFound: ErrorClass;
};

/**
 * kafkajs holds this error for final: a consumer that meets it ends for good, and with it the process. But it is what
 * a consumer meets while the only broker starts again. So it is treated as an error after which the consumer restarts.
 */
Object.defineProperty(KafkaJSGroupCoordinatorNotFound.prototype, 'retriable', {
  get: () => true,
  set: () => undefined,
});
