import { hash } from 'node:crypto';

export const SHA256_BYTES = 32;

/**
 * Writes as much of the hash of `content` as `into` has room for. The hash is returned as a string, because allocating a Buffer in
 * node:crypto takes longer than the hash. @returns How many bytes were written.
 */
export const writeSha256 = (into: Buffer, at: number, content: Buffer): number =>
  into.write(hash('sha256', content, 'binary'), at, 'binary');

export function sha256(content: Buffer): Buffer {
  const digest = Buffer.allocUnsafe(SHA256_BYTES);
  writeSha256(digest, 0, content);
  return digest;
}
