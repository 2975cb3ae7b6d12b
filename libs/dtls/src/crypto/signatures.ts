import { type KeyObject, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { SignatureAlgorithm } from '../messages/extensions.js';

/** A signature with `SignatureAlgorithm.EcdsaSha256`. @param privateKey On P-256. */
export function sign(privateKey: KeyObject, ...content: Buffer[]): Buffer {
  return signBytes('sha256', Buffer.concat(content), privateKey);
}

/** @throws DecodeError unless `signature` was made with the private key of `publicKey` */
export function verify(publicKey: KeyObject, algorithm: number, signature: Buffer, ...content: Buffer[]): void {
  if (algorithm !== SignatureAlgorithm.EcdsaSha256) {
    throw new DecodeError('unknown signature algorithm', AlertDescription.IllegalParameter);
  }
  if (!isSignature(publicKey, signature, Buffer.concat(content))) {
    throw new DecodeError('wrong signature', AlertDescription.DecryptError);
  }
}

function isSignature(publicKey: KeyObject, signature: Buffer, content: Buffer): boolean {
  try {
    return verifyBytes('sha256', content, publicKey, signature);
  } catch {
    return false;
  }
}
