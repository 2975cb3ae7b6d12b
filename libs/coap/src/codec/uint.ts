/** Reads an unsigned integer of up to four bytes; an empty value means 0 (RFC 7252 §3.2). */
export function decodeUint(value: Buffer): number {
  return value.length === 0 ? 0 : value.readUIntBE(0, value.length);
}

/** Writes an unsigned integer of up to 32 bits in as few bytes as possible. */
export function encodeUint(value: number): Buffer {
  const length = value === 0 ? 0 : value < 0x100 ? 1 : value < 0x1_0000 ? 2 : value < 0x100_0000 ? 3 : 4;
  const bytes = Buffer.allocUnsafe(length);
  if (length > 0) bytes.writeUIntBE(value, 0, length);
  return bytes;
}
