import { generateKeyPairSync } from 'node:crypto';
import { type Scalar } from '@lanyard/lwm2m';
import { describe, expect, it } from '@jest/globals';
import { accountIn } from './account.js';

const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    own: publicKey.export({ format: 'der', type: 'spki' }),
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
};
const { own, secret } = pair();
const server = pair().own;
const none = Buffer.alloc(0);

/** With resources 2 to 5 of the Security object. */
const accountWith = (...[mode, identity, serverKey, key]: Scalar[]) => {
  const security = { 0: 'coaps://192.0.2.7', 1: false, 2: mode, 3: identity, 4: serverKey, 5: key, 10: 123 };
  const resources = new Map<string, Scalar>([
    ['/1/0/0', 123],
    ['/1/0/1', 60],
  ]);
  for (const [id, value] of Object.entries(security)) if (value !== undefined) resources.set(`/0/1/${id}`, value);
  return accountIn(resources);
};

describe('an account', () => {
  it('has a pre-shared key, a raw public key or neither', () => {
    expect(accountWith(0, Buffer.from('id'), none, Buffer.from('key'))?.credential).toEqual({
      identity: 'id',
      key: Buffer.from('key'),
    });
    expect(accountWith(1, own, server, secret)?.credential).toMatchObject({ chain: [], serverKey: server });
    expect(accountWith(3, none, none, none)).toMatchObject({ credential: undefined, lifetimeSeconds: 60 });
  });

  it.each([
    ['without a key', 0, Buffer.from('id'), none, none],
    ['without the private key', 1, own, server, none],
    ['with a private key that cannot be read', 1, own, server, secret.subarray(1)],
    ['with the private key of another public key', 1, pair().own, server, secret],
    ['of a security mode that it does not have', 2, own, server, secret],
  ])('is incomplete %s', (_what, ...resources) => {
    expect(accountWith(...resources)).toBeUndefined();
  });
});
