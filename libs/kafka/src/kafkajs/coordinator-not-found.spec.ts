import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { retryCoordinatorNotFound } from './coordinator-not-found.js';

const { KafkaJSGroupCoordinatorNotFound } = createRequire(import.meta.url)('kafkajs/src/errors.js') as {
  KafkaJSGroupCoordinatorNotFound: new (message: string) => Error & { retriable: boolean };
};

it('a group without a known coordinator is no reason to give up, though it is one for kafkajs', () => {
  const error = () => new KafkaJSGroupCoordinatorNotFound('Failed to find group coordinator');
  expect(error().retriable).toBe(false);
  retryCoordinatorNotFound();
  expect([error().name, error().retriable]).toEqual(['KafkaJSGroupCoordinatorNotFound', true]);
});
