import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { callbackEvents, InvalidSignature, textOf, type ValueEvent } from './index.js';

const body = JSON.stringify({
  notifications: [{ ep: 'd', path: '/3303/0/5700', ct: 'text/plain', payload: 'MjEuNQ==', 'max-age': 60 }],
});
const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const nowMs = 1_700_000_000_000;

const headers = (text: string, atMs = nowMs): Record<string, string> => {
  const [id, timestamp] = ['msg_1', String(atMs / 1_000)];
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,other v1,${signature}` };
};

describe('callback bodies', () => {
  it('are typed events with decoded payloads', () => {
    const [event] = callbackEvents(Buffer.from(body)) as [ValueEvent];
    expect([event.category, event.deviceId, event.path, textOf(event.payload)]).toEqual([
      'notifications',
      'd',
      '/3303/0/5700',
      '21.5',
    ]);
    expect(callbackEvents('{}')).toEqual([]);
  });

  it('count with a signature of any of the secrets', () => {
    const secrets = ['whsec_AAAA', secret];
    expect(callbackEvents(body, { secrets, headers: headers(body), nowMs })).toHaveLength(1);
  });

  it.each([
    ['of another body', body, headers('{}')],
    ['that is too old', body, headers(body, nowMs - 600_000)],
    ['that is missing', body, {}],
    ['that is missing, where the body is no JSON', '<html>', {}],
  ])('do not count with a signature %s', (_, text, given) => {
    expect(() => callbackEvents(text, { secrets: [secret], headers: given, nowMs })).toThrow(InvalidSignature);
  });
});
