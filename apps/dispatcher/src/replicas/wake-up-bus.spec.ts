import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './wake-up-bus.js';

describe('messages between replicas', () => {
  it.each([
    ['{"wake":["a","b"]}', { wake: ['a', 'b'] }],
    ['{"close":"c","cause":"restart"}', { close: 'c', cause: 'restart' }],
  ])('%s is understood', (text, message) => expect(parseMessage(text)).toEqual(message));

  it.each([
    '',
    '{',
    'null',
    '1',
    '[]',
    '{"wake":[1]}',
    '{"wake":"a"}',
    '{"close":"c"}',
    '{"close":"c","cause":"toString"}',
  ])('%s is ignored', (text) => expect(parseMessage(text)).toBeUndefined());
});
