import { describe, expect, it } from '@jest/globals';
import { TooManyVerifications, VerifiersBusy } from '../errors.js';
import { verificationsMax, verificationsOfAccountMax } from '../limits.js';
import { VerificationPlaces } from './verification.js';

describe('places for verifications', () => {
  const places = (): {
    take: (accountId: string, keyId: string) => void;
    giveBack: (accountId: string, keyId: string) => void;
  } => {
    const all = new VerificationPlaces();
    return {
      take: (accountId, keyId) => all.take({ accountId, keyId }),
      giveBack: (accountId, keyId) => all.giveBack({ accountId, keyId }),
    };
  };

  it('one of a key at a time', () => {
    const { take, giveBack } = places();
    take('a', 'key');
    expect(() => take('a', 'key')).toThrow(TooManyVerifications);
    giveBack('a', 'key');
    take('a', 'key');
  });

  it('one of each secret: a thief does not keep out the owner, who has reset the key', () => {
    const all = new VerificationPlaces();
    const stolen = { accountId: 'a', keyId: 'key', secretFingerprint: 'old' };
    all.take(stolen);
    all.take({ ...stolen, secretFingerprint: 'new' });
    expect(() => all.take(stolen)).toThrow(TooManyVerifications);
  });

  it('an account leaves places to others', () => {
    const { take, giveBack } = places();
    for (let n = 0; n < verificationsOfAccountMax; n++) take('a', `key ${n}`);
    expect(() => take('a', 'one more')).toThrow(TooManyVerifications);
    take('b', 'key');
    giveBack('a', 'key 0');
    take('a', 'one more');
  });

  it('all accounts together have only so many', () => {
    const { take, giveBack } = places();
    for (let n = 0; n < verificationsMax; n++) take(`account ${n}`, 'key');
    expect(() => take('a', 'key')).toThrow(VerifiersBusy);
    giveBack('account 7', 'key');
    take('a', 'key');
  });
});
