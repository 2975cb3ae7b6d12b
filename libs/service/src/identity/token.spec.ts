import { describe, expect, it } from '@jest/globals';
import { newIdentityKeys } from '@lanyard/testing';
import { identityLifeMs, signIdentity, verifyIdentity } from './token.js';

const identity = {
  accountId: 'a'.repeat(32),
  keyId: 'b'.repeat(32),
  groups: [],
  permissions: ['devices.read'],
  tier: 'free' as const,
};
const nowMs = 1_000_000;
const [before, after, other] = [newIdentityKeys(), newIdentityKeys(), newIdentityKeys()];
const token = signIdentity({ ...identity }, 'registry', before.privateKey, nowMs);

describe('an identity token', () => {
  it('says who calls, until it expires', () => {
    const verified = verifyIdentity(token, 'registry', [before.publicKey], nowMs + identityLifeMs);
    expect(verified).toEqual({ identity, untilMs: nowMs + identityLifeMs });
    expect(verifyIdentity(token, 'registry', [before.publicKey], nowMs + identityLifeMs + 1)).toBeUndefined();
  });

  it('is good for the service that it names and for no other', () => {
    expect(verifyIdentity(token, 'snapshot', [before.publicKey], nowMs)).toBeUndefined();
  });

  it('is verified by any of several keys: before, during and after a rotation', () => {
    const renewed = signIdentity(identity, 'registry', after.privateKey, nowMs);
    const during = [before.publicKey, after.publicKey];
    for (const one of [token, renewed])
      expect(verifyIdentity(one, 'registry', during, nowMs)?.identity).toEqual(identity);
    expect(verifyIdentity(token, 'registry', [after.publicKey], nowMs)).toBeUndefined();
  });

  it.each([
    ['another key signed', signIdentity(identity, 'registry', other.privateKey, nowMs)],
    ['has another payload', `${Buffer.from('{}').toString('base64url')}.${token.split('.')[1]}`],
    ['has a cut signature', token.slice(0, -4)],
    ['has no signature', token.split('.')[0] as string],
    ['is empty', ''],
  ])('is refused when it %s', (_, forged) => {
    expect(verifyIdentity(forged, 'registry', [before.publicKey], nowMs)).toBeUndefined();
  });
});
