import { describe, expect, it } from '@jest/globals';
import { TooManyVerifications, VerifiersBusy } from '../errors.js';
import { verificationsMax, verificationsOfAccountMax } from '../limits.js';
import { VerificationSlots } from './verification.js';

describe('slots of verifications', () => {
  const slots = (): {
    reserve: (accountId: string, keyId: string) => void;
    free: (accountId: string, keyId: string) => void;
  } => {
    const all = new VerificationSlots();
    return {
      reserve: (accountId, keyId) => all.reserve({ accountId, keyId }),
      free: (accountId, keyId) => all.free({ accountId, keyId }),
    };
  };

  it('one of a key at a time', () => {
    const { reserve, free } = slots();
    reserve('a', 'key');
    expect(() => reserve('a', 'key')).toThrow(TooManyVerifications);
    free('a', 'key');
    reserve('a', 'key');
  });

  it('one of each secret: a thief does not keep out the owner, who has reset the key', () => {
    const all = new VerificationSlots();
    const stolen = { accountId: 'a', keyId: 'key', secretFingerprint: 'old' };
    all.reserve(stolen);
    all.reserve({ ...stolen, secretFingerprint: 'new' });
    expect(() => all.reserve(stolen)).toThrow(TooManyVerifications);
  });

  it('an account leaves slots to others', () => {
    const { reserve, free } = slots();
    for (let n = 0; n < verificationsOfAccountMax; n++) reserve('a', `key ${n}`);
    expect(() => reserve('a', 'one more')).toThrow(TooManyVerifications);
    reserve('b', 'key');
    free('a', 'key 0');
    reserve('a', 'one more');
  });

  it('all accounts together have only so many', () => {
    const { reserve, free } = slots();
    for (let n = 0; n < verificationsMax; n++) reserve(`account ${n}`, 'key');
    expect(() => reserve('a', 'key')).toThrow(VerifiersBusy);
    free('account 7', 'key');
    reserve('a', 'key');
  });
});
