import { describe, expect, it } from '@jest/globals';
import { messageIdOf, newSigningSecret, signatureHeaders, type Signing } from './signature.js';

describe('signatures of callback messages', () => {
  const secret = (text: string): Signing['secrets'][number] => ({ id: 'a', secret: text, createdAtMs: 0 });
  const signing = (...secrets: Signing['secrets']): Signing => ({ channelCreatedAtMs: 1, secrets });

  // The example in the Standard Webhooks libraries' own tests.
  it('as the specification’s example', () => {
    const headers = signatureHeaders(
      signing(secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')),
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330_999,
      Buffer.from('{"test": 2432232314}'),
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('one for each secret', () => {
    const [old, fresh] = [newSigningSecret(1), newSigningSecret(2)];
    expect(old.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const body = Buffer.from('{}');
    const both = signatureHeaders(signing(old, fresh), 'm', 1, body)['webhook-signature']?.split(' ');
    expect(both).toEqual(
      [old, fresh].map((each) => signatureHeaders(signing(each), 'm', 1, body)['webhook-signature']),
    );
    expect(new Set(both).size).toBe(2);
  });

  it('an id is the content’s: of its channel, its place and its bytes', () => {
    const of = (channel: string, createdAtMs: number, from: number, to: number, body: string): string =>
      messageIdOf(channel, { channelCreatedAtMs: createdAtMs, secrets: [] }, { from, to, body: Buffer.from(body) });
    const ids = [
      of('a', 1, 0, 2, '{}'),
      of('b', 1, 0, 2, '{}'),
      of('a', 2, 0, 2, '{}'),
      of('a', 1, 1, 2, '{}'),
      of('a', 1, 0, 3, '{}'),
      of('a', 1, 0, 2, '[]'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(of('a', 1, 0, 2, '{}')).toBe(ids[0]);
  });
});
