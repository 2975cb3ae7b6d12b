import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { mayBeTriedAgain } from './kafka-connection.js';

const { KafkaJSAggregateError, KafkaJSProtocolError } = kafkajs;

const protocolError = (type: string, retriable: boolean): Error =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code: 1, retriable }));

const exists = protocolError('TOPIC_ALREADY_EXISTS', false);
const timedOut = protocolError('REQUEST_TIMED_OUT', true);
const refused = protocolError('TOPIC_AUTHORIZATION_FAILED', false);

describe('topics that could not be created', () => {
  it.each([
    ['an overloaded controller', [timedOut], true],
    ['another replica made some, the controller is overloaded', [exists, timedOut], true],
    ['one of them is not allowed', [timedOut, refused], false],
  ])('are tried again or not: %s', (_name, errors, again) => {
    expect(mayBeTriedAgain(new KafkaJSAggregateError('Topic creation errors', errors))).toBe(again);
  });

  it('are not after an error of any other kind', () => {
    expect(mayBeTriedAgain(new Error('no'))).toBe(false);
  });
});
