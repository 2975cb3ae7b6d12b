import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from './outcome.js';

const none = Buffer.alloc(0);

describe('outcomeOf', () => {
  it.each([
    ['4.00', 400, 'BAD_REQUEST'],
    ['4.01', 400, 'UNAUTHORIZED'],
    ['4.02', 400, 'BAD_OPTION'],
    ['4.03', 400, 'FORBIDDEN'],
    ['4.04', 404, 'RESOURCE_NOT_FOUND'],
    ['4.05', 400, 'METHOD_NOT_ALLOWED'],
    ['4.06', 415, 'NOT_ACCEPTABLE'],
    ['4.08', 400, 'REQUEST_ENTITY_INCOMPLETE'],
    ['4.09', 400, 'BAD_REQUEST'],
    ['4.12', 412, 'PRECONDITION_FAILED'],
    ['4.13', 413, 'REQUEST_ENTITY_TOO_LARGE'],
    ['4.15', 415, 'UNSUPPORTED_CONTENT_FORMAT'],
    ['4.29', 400, 'BAD_REQUEST'],
    ['5.00', 502, 'INTERNAL_SERVER_ERROR'],
    ['5.01', 502, 'NOT_IMPLEMENTED'],
    ['5.03', 502, 'SERVICE_UNAVAILABLE'],
    ['5.05', 502, 'INTERNAL_SERVER_ERROR'],
  ])('%s of the device is status %i %s, without its payload', (code, status, error) => {
    const note = `The device answered ${code}.`;
    expect(outcomeOf({ code, payload: Buffer.from('why') })).toEqual({ outcome: 'failed', status, error, note });
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
