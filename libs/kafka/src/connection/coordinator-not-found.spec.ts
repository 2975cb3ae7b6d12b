import { describe, expect, it } from '@jest/globals';
import { KafkaJSGroupCoordinatorNotFound } from './coordinator-not-found.js';

describe('a group without a known coordinator', () => {
  it('is no reason to give up', () => {
    const error = new KafkaJSGroupCoordinatorNotFound('Failed to find group coordinator');
    expect([error.name, error.retriable]).toEqual(['KafkaJSGroupCoordinatorNotFound', true]);
  });
});
