import { DecodeError } from '../errors.js';

/** RFC 5246 §7.1. */
export const CHANGE_CIPHER_SPEC: Buffer = Buffer.from([1]);

/** @throws DecodeError unless `content` is a ChangeCipherSpec */
export function decodeChangeCipherSpec(content: Buffer): void {
  if (content.length !== 1 || content[0] !== 1) throw new DecodeError('change cipher spec: not the byte 1');
}
