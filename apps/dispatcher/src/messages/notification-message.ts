import { StringDecoder } from 'node:string_decoder';
import type { Category } from '@lanyard/contracts';

const comma = 0x2c;
const closing = ']}';

/** One message for the customer (spec §6.1): the events of one category. `slices` hold events joined by commas. */
export class NotificationMessage {
  readonly bytes: number;
  private readonly opening: string;

  constructor(
    category: Category,
    private readonly slices: readonly Buffer[],
  ) {
    this.opening = `{"${category}":[`;
    const events = slices.reduce((sum, slice) => sum + slice.length + 1, -1);
    this.bytes = this.opening.length + events + closing.length;
  }

  /** Returns the part of the buffer that it fills. */
  writeTo(buffer: Buffer): Buffer {
    let at = buffer.write(this.opening, 0, 'latin1');
    this.slices.forEach((slice, n) => {
      if (n > 0) at = buffer.writeUInt8(comma, at);
      at += slice.copy(buffer, at);
    });
    at += buffer.write(closing, at, 'latin1');
    return buffer.subarray(0, at);
  }

  /** At most `bytesMax` of its first bytes, as text for a person; the rest is left out. */
  excerpt(bytesMax: number): string {
    if (this.bytes <= bytesMax) return this.toBuffer().toString();
    const [first = Buffer.alloc(0)] = this.slices;
    // Without the part of a character that the last bytes may be.
    return `${this.opening}${new StringDecoder().write(first.subarray(0, bytesMax))}…`;
  }

  toBuffer(): Buffer {
    return this.writeTo(Buffer.allocUnsafe(this.bytes));
  }
}
