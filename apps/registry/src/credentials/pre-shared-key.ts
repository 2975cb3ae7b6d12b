import { randomBytes } from 'node:crypto';
import { type EncryptionKeys, seal } from '@lanyard/service';
import { pskLimits } from './credential-fields.js';

/** A random key, in hex: the strength of the AES-128 suites. */
export const newKey = (): string => randomBytes(pskLimits.generatedKeyBytes).toString('hex');

export const newSealedKey = (keys: EncryptionKeys): string => seal(keys, newKey());
