/**
 * Bytes as a string with one character per byte. A server keeps the data of many peers this way: a Buffer takes 180 bytes in addition
 * to its content, or 300 above 64 bytes; a string takes 16.
 */
export type PackedBytes = string;

export const packBytes = (bytes: Buffer): PackedBytes => bytes.toString('latin1');

/** For short use only: the result is in the memory that small Buffers share. */
export const peekBytes = (packed: PackedBytes): Buffer => Buffer.from(packed, 'latin1');

/** The result may be kept, because it is not part of a larger Buffer. */
export function unpackBytes(packed: PackedBytes): Buffer {
  const bytes = Buffer.allocUnsafeSlow(packed.length);
  bytes.write(packed, 'latin1');
  return bytes;
}
