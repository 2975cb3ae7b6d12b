/**
 * Bytes as a string with a character for each. A server keeps what it has of many peers this way: beside its content a Buffer
 * takes 180 bytes, or 300 above 64 bytes; a string takes 16.
 */
export type PackedBytes = string;

export const packBytes = (bytes: Buffer): PackedBytes => bytes.toString('latin1');

/** For what is done with at once: it is in the memory that small Buffers share. */
export const peekBytes = (packed: PackedBytes): Buffer => Buffer.from(packed, 'latin1');

/** The result may be kept: it is no part of a larger Buffer. */
export function unpackBytes(packed: PackedBytes): Buffer {
  const bytes = Buffer.allocUnsafeSlow(packed.length);
  bytes.write(packed, 'latin1');
  return bytes;
}
