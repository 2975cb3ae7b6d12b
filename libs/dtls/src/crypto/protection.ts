import { AeadProtection } from './aead-protection.js';
import { CbcProtection } from './cbc-protection.js';
import { type Role } from './key-block.js';
import { type PackedBytes } from './packed-bytes.js';
import { type RecordProtection } from './record-protection.js';
import { type CipherSuite } from './suites.js';

/** @param keys As `deriveKeys` returns them. */
export function createProtection(suite: CipherSuite, keys: PackedBytes, role: Role): RecordProtection {
  return suite.cipher === 'aes-128-cbc' ? new CbcProtection(suite, keys, role) : new AeadProtection(suite, keys, role);
}
