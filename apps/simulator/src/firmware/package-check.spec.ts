import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PackageCheck, type Verdict } from './package-check.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const checked = (bytes: Buffer, blockBytes: number, expected?: string): Verdict => {
  const check = new PackageCheck();
  for (let at = 0; at < bytes.length; at += blockBytes) check.add(bytes.subarray(at, at + blockBytes));
  expect(check.bytes).toBe(bytes.length);
  return check.verdict(expected);
};

describe('a package', () => {
  const image = randomBytes(5_000);
  const named = Buffer.concat([Buffer.from(`SIMFW 2.0.1 ${sha256(image)}\n`), image]);
  const damaged = Buffer.from(named);
  damaged[4_000]! ^= 1;

  it.each([[16], [64], [1_024], [100_000]])('names its version, and is verified, in blocks of %i', (blockBytes) => {
    expect(checked(named, blockBytes)).toEqual({ isIntact: true, version: '2.0.1' });
    expect(checked(damaged, blockBytes)).toEqual({ isIntact: false });
    expect(checked(named.subarray(0, 4_999), blockBytes)).toEqual({ isIntact: false });
    expect(checked(named.subarray(0, 40), blockBytes)).toEqual({ isIntact: false });
  });

  it('without a header is known by its hash, and verified where the source names that', () => {
    const version = sha256(image).slice(0, 12);
    expect(checked(image, 1_024)).toEqual({ isIntact: true, version });
    expect(checked(image, 1_024, sha256(image))).toEqual({ isIntact: true, version });
    expect(checked(image, 1_024, sha256(named))).toEqual({ isIntact: false });
    expect(checked(Buffer.from('SIM'), 1)).toEqual({
      isIntact: true,
      version: sha256(Buffer.from('SIM')).slice(0, 12),
    });
  });
});
