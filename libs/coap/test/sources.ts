import { type BodySource } from '../src/index.js';

export const bytesOf = (length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 31 + (index >> 10)) & 0xff;
  return bytes;
};

/** A source over a body, and what was read of it. */
export class WatchedSource implements BodySource {
  readonly reads: { offset: number; length: number }[] = [];

  constructor(
    readonly body: Buffer,
    private readonly before: (offset: number) => Promise<void> = async () => undefined,
  ) {}

  get bytes(): number {
    return this.body.length;
  }

  get largestRead(): number {
    return Math.max(0, ...this.reads.map(({ length }) => length));
  }

  async read(offset: number, length: number): Promise<Buffer> {
    this.reads.push({ offset, length });
    await this.before(offset);
    return this.body.subarray(offset, offset + length);
  }
}
