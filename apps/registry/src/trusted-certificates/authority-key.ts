import { getCurves, type KeyObject } from 'node:crypto';
import { AuthorityKeyUnsuitable } from '../errors.js';

const namedCurves: ReadonlySet<string | undefined> = new Set(getCurves());

/** Authorities have a small exponent, nearly always 65537. */
const exponentMax = 0xffff_ffffn;

const isSuitable = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean => {
  switch (asymmetricKeyType) {
    case 'ec':
      return namedCurves.has(asymmetricKeyDetails?.namedCurve);
    case 'rsa':
    case 'rsa-pss':
      return (asymmetricKeyDetails?.publicExponent ?? Infinity) <= exponentMax;
    case 'ed25519':
    case 'ed448':
      return true;
    default:
      return false;
  }
};

/**
 * Refuses a key with parameters of its own: the generator of a curve, the exponent of RSA, the group of DSA. For any signature
 * of another authority, such parameters can be computed together with a key pair: its public key verifies that signature
 * (duplicate-signature key selection, as in CVE-2020-0601), and its private key would prove the authority. The account would
 * then get the device whose certificate has that signature. Throws AuthorityKeyUnsuitable.
 */
export const mustBeSuitable = (key: KeyObject): void => {
  if (!isSuitable(key)) throw new AuthorityKeyUnsuitable();
};
