import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deriveKeys, directionKeys, keyBlockBytes } from './key-block.js';
import { extendedMasterSecret, masterSecret, pskPreMasterSecret, verifyData } from './master-secret.js';
import { packBytes, unpackBytes } from './packed-bytes.js';
import { prf } from './prf.js';
import { CIPHER_SUITES, cipherSuite } from './suites.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** P_SHA256 as RFC 5246 §5 writes it: HMAC(secret, A(i) + seed) with A(i) = HMAC(secret, A(i - 1)). */
const expand = (secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer => {
  const hmac = (data: Buffer): Buffer => createHmac('sha256', secret).update(data).digest();
  const a = (index: number): Buffer => (index === 0 ? Buffer.concat([Buffer.from(label), seed]) : hmac(a(index - 1)));
  const blocks = [1, 2, 3, 4, 5, 6].map((index) => hmac(Buffer.concat([a(index), a(0)])));
  return Buffer.concat(blocks).subarray(0, bytes);
};

const [client, server] = [Buffer.alloc(32, 0xc1), Buffer.alloc(32, 0x5e)];
const secret = Buffer.alloc(48, 7);

describe('the pseudorandom function', () => {
  // Published for P_SHA256 on the mailing list of the TLS working group; many implementations test with it.
  const known = {
    secret: hex('9bbe436ba940f017b17652849a71db35'),
    seed: hex('a0ba9f936cda311827a6f796ffd5198c'),
    output: hex(`e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af
      0fa022f7077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66`),
  };

  it('gives the published output', () => {
    expect(prf(known.secret, 'test label', 100, known.seed).toString('hex')).toBe(known.output.toString('hex'));
  });

  it.each([0, 1, 12, 31, 32, 33, 48, 64, 104])('gives the first %i bytes of it', (bytes) => {
    const output = prf(secret, 'any label', bytes, client);
    expect(output).toEqual(expand(secret, 'any label', client, bytes));
  });
});

describe('secrets', () => {
  it('the pre-master secret of a PSK has zeros of the same length before it', () => {
    expect(pskPreMasterSecret(hex('aabbcc')).toString('hex')).toBe('0003' + '000000' + '0003' + 'aabbcc');
  });

  it('the master secret covers client, then server', () => {
    const both = Buffer.concat([client, server]);
    expect(masterSecret(hex('01'), client, server)).toEqual(expand(hex('01'), 'master secret', both, 48));
  });

  it('the extended master secret covers the session hash', () => {
    expect(extendedMasterSecret(hex('01'), client)).toEqual(expand(hex('01'), 'extended master secret', client, 48));
  });

  it('the verify data depends on the sender', () => {
    expect(verifyData(secret, 'client', client)).toEqual(expand(secret, 'client finished', client, 12));
    expect(verifyData(secret, 'server', client)).toEqual(expand(secret, 'server finished', client, 12));
  });
});

describe('key blocks', () => {
  it.each([
    [0xc02b, 40],
    [0xc0ae, 40],
    [0xc0a8, 40],
    [0x00ae, 96],
  ])('of suite 0x%s has %i bytes and covers server, then client', (id, bytes) => {
    const suite = cipherSuite(id)!;
    expect(keyBlockBytes(suite)).toBe(bytes);
    const both = Buffer.concat([server, client]);
    const keys = unpackBytes(deriveKeys(suite, secret, client, server));
    expect(keys).toEqual(expand(secret, 'key expansion', both, bytes));
  });

  it('are cut as RFC 5246 §6.3 says: MAC keys, keys, IVs, each of the client first', () => {
    const keys = packBytes(Buffer.from(Array.from({ length: 96 }, (_, index) => index)));
    const cut = (id: number, writer: 'client' | 'server') => {
      const { macKey, key, iv } = directionKeys(cipherSuite(id)!, keys, writer);
      return [macKey, key, iv].map((part) => [unpackBytes(part)[0], part.length]);
    };
    expect(cut(0xc0a8, 'client')).toEqual([[undefined, 0], [0, 16], [32, 4]]); // prettier-ignore
    expect(cut(0xc0a8, 'server')).toEqual([[undefined, 0], [16, 16], [36, 4]]); // prettier-ignore
    expect(cut(0x00ae, 'client')).toEqual([[0, 32], [64, 16], [undefined, 0]]); // prettier-ignore
    expect(cut(0x00ae, 'server')).toEqual([[32, 32], [80, 16], [undefined, 0]]); // prettier-ignore
  });
});

describe('cipher suites', () => {
  it('are found by number', () => {
    expect(CIPHER_SUITES.map(({ id }) => cipherSuite(id)?.id)).toEqual([0xc02b, 0xc0ae, 0xc0a8, 0x00ae]);
    expect(cipherSuite(0x00ff)).toBeUndefined();
  });

  it('only CBC needs encrypt-then-MAC', () => {
    expect(CIPHER_SUITES.filter((suite) => suite.requiresEncryptThenMac).map(({ id }) => id)).toEqual([0x00ae]);
  });
});
