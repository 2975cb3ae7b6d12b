import { UnencodableMessage } from '../errors.js';

/** Writers of the presentation language of RFC 5246 §4. */

export function uint8(value: number): Buffer {
  return uint(value, 1);
}

export function uint16(value: number): Buffer {
  return uint(value, 2);
}

/** `opaque<0..2^8-1>`. */
export function vector8(...parts: Buffer[]): Buffer {
  return vector(1, parts);
}

export function vector16(...parts: Buffer[]): Buffer {
  return vector(2, parts);
}

export function vector24(...parts: Buffer[]): Buffer {
  return vector(3, parts);
}

export function uint8List(values: readonly number[]): Buffer {
  return vector8(...values.map(uint8));
}

export function uint16List(values: readonly number[]): Buffer {
  return vector16(...values.map(uint16));
}

function vector(lengthBytes: number, parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([uint(length, lengthBytes), ...parts]);
}

function uint(value: number, bytes: number): Buffer {
  if (!Number.isInteger(value) || value < 0 || value >= 256 ** bytes) {
    throw new UnencodableMessage(`${value} does not fit in ${bytes} bytes`);
  }
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
