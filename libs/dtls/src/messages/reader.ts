import { DecodeError } from '../errors.js';

/** Strict reader of the presentation language of RFC 5246 §4. Buffers that it returns are views. All methods throw `DecodeError`. */
export class Reader {
  private at = 0;

  constructor(
    private readonly bytes: Buffer,
    /** Names the structure in errors. */
    private readonly what: string,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** How many bytes have been read. */
  get offset(): number {
    return this.at;
  }

  uint8(): number {
    return this.bytes[this.advance(1)]!;
  }

  uint16(): number {
    return this.bytes.readUInt16BE(this.advance(2));
  }

  uint24(): number {
    return this.bytes.readUIntBE(this.advance(3), 3);
  }

  takeBytes(length: number): Buffer {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** `opaque<min..max>` with a length of one byte. */
  vector8(min = 0, max = 0xff): Buffer {
    return this.vector(this.uint8(), min, max);
  }

  vector16(min = 0, max = 0xffff): Buffer {
    return this.vector(this.uint16(), min, max);
  }

  vector24(min = 0, max = 0xffffff): Buffer {
    return this.vector(this.uint24(), min, max);
  }

  /** A list of one-byte values with a length of one byte. */
  uint8List(itemsMin: number): number[] {
    return [...this.vector8(itemsMin)];
  }

  /** A list of two-byte values with a length of two bytes. */
  uint16List(itemsMin: number): number[] {
    const list = this.vector16(2 * itemsMin);
    if (list.length % 2 !== 0) throw new DecodeError(`${this.what}: list of odd length`);
    return Array.from({ length: list.length / 2 }, (_, index) => list.readUInt16BE(2 * index));
  }

  /** @throws DecodeError when something follows */
  expectEnd(): void {
    if (this.remaining > 0) throw new DecodeError(`${this.what}: trailing bytes`);
  }

  private vector(length: number, min: number, max: number): Buffer {
    if (length < min || length > max) throw new DecodeError(`${this.what}: length out of range`);
    return this.takeBytes(length);
  }

  private advance(length: number): number {
    const start = this.at;
    if (this.bytes.length - start < length) throw new DecodeError(`${this.what}: truncated`);
    this.at = start + length;
    return start;
  }
}
