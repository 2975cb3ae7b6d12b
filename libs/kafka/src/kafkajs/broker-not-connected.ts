import { privateModule } from './modules.js';

type Lookup = (...request: unknown[]) => unknown;

interface Errors {
  KafkaJSConnectionError: new (message: string) => Error;
}

const lookups = new WeakMap<object, Lookup>();

/**
 * Correctness, not speed. A broker whose connection was lost before its first answer, as in a failure of DNS, answers every
 * request with a plain Error, which kafkajs treats as fatal: it ends the consumer, and with it the process. It is a
 * connection error like the others, after which the consumer restarts.
 */
export const retryBrokerNotConnected = (): void => {
  const { prototype } = privateModule('broker/index.js') as { prototype: object };
  const { KafkaJSConnectionError } = privateModule('errors.js') as Errors;
  const notConnected: Lookup = () => {
    throw new KafkaJSConnectionError('Broker not connected');
  };
  // Its constructor assigns the function that fails, and `connect` the one that works.
  Object.defineProperty(prototype, 'lookupRequest', {
    get(this: object) {
      return lookups.get(this);
    },
    set(this: object, lookup: Lookup) {
      lookups.set(this, lookups.has(this) ? lookup : notConnected);
    },
  });
};
