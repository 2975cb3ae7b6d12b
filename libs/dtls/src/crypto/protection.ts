import { AeadProtection } from './aead-protection.js';
import { CbcProtection } from './cbc-protection.js';
import { type Role } from './key-block.js';
import { type RecordProtection } from './record-protection.js';
import { type CipherSuite } from './suites.js';

/** @param keys Of `deriveKeys`; it is kept, not copied. */
export function createProtection(suite: CipherSuite, keys: Buffer, role: Role): RecordProtection {
  return suite.cipher === 'aes-128-cbc' ? new CbcProtection(suite, keys, role) : new AeadProtection(suite, keys, role);
}
