import { describe, expect, it } from '@jest/globals';
import { NoAnswer, NotFound, ServiceUnavailable } from '@lanyard/client/browser';
import { isErrorShown, isShown } from './answer.ts';

const failed = (status: number) => ({ status, body: 'No.', requestId: undefined, retryAfterSeconds: undefined });
const noAnswer = new NoAnswer('GET /v3/devices: no answer');
const unavailable = new ServiceUnavailable('GET /v3/devices', failed(503));
const notFound = new NotFound('GET /v3/devices/{id}', failed(404));

describe('a failure to read again', () => {
  it.each<[string, unknown, boolean]>([
    ['without an answer', noAnswer, true],
    ['of a service that is not available', unavailable, true],
    ['of a record that is gone', notFound, false],
  ])('%s: whether the last answer stays', (_, error, stays) => {
    expect(isShown({ data: 'a list', error, refetch: () => undefined })).toBe(stays);
  });

  it('is shown beside the answer, also without an answer: the gateway may answer other calls', () => {
    expect(isErrorShown(noAnswer, false)).toBe(true);
    expect(isErrorShown(unavailable, false)).toBe(true);
    expect(isErrorShown(null, false)).toBe(false);
  });

  it('is left to the banner while the connection is lost', () => {
    expect(isErrorShown(noAnswer, true)).toBe(false);
    expect(isErrorShown(unavailable, true)).toBe(true);
  });
});
