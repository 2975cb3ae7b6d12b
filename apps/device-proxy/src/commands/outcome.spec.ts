import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from './outcome.js';

const none = Buffer.alloc(0);

describe('outcomeOf', () => {
  it.each([
    ['4.00', 400],
    ['4.04', 404],
    ['4.05', 400],
    ['4.12', 412],
    ['4.13', 413],
    ['4.15', 415],
    ['4.29', 400],
    ['5.00', 502],
    ['5.05', 502],
  ])('%s of the device is status %i', (code, status) => {
    expect(outcomeOf({ code, payload: none })).toMatchObject({ outcome: 'failed', status, error: expect.any(String) });
  });

  it('a value is handed on with its type and age', () => {
    const payload = Buffer.from('21.5');
    expect(outcomeOf({ code: '2.05', payload, contentType: 'text/plain', maxAgeSeconds: 60 })).toEqual({
      outcome: 'succeeded',
      status: 200,
      payload,
      contentType: 'text/plain',
      maxAgeSeconds: 60,
    });
  });

  it('a change without a payload is a bare success', () => {
    expect(outcomeOf({ code: '2.04', payload: none })).toEqual({ outcome: 'succeeded', status: 200 });
  });
});
