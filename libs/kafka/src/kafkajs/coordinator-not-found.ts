import { privateModule } from './modules.js';

interface Errors {
  KafkaJSGroupCoordinatorNotFound: { prototype: Error };
}

/**
 * Correctness, not speed. kafkajs treats "no broker knows the coordinator of the group" as fatal: it ends the consumer, and
 * with it the process. But it is what a consumer meets while the only broker restarts, so the consumer restarts too.
 */
export const retryCoordinatorNotFound = (): void => {
  const { KafkaJSGroupCoordinatorNotFound } = privateModule('errors.js') as Errors;
  Object.defineProperty(KafkaJSGroupCoordinatorNotFound.prototype, 'retriable', {
    get: () => true,
    set: () => undefined,
  });
};
