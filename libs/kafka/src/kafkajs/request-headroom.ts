import { privateModule } from './modules.js';

/** The encoder with which kafkajs assembles a request: the first `offset` bytes of `buf` are written. */
interface Encoder {
  buf: Buffer;
  offset: number;
  writeEncoder(part: Encoder | HeadroomRequest): Encoder;
}

/** Before a request: its length, key, version, number, and the name of the client. */
const headroomBytes = 1_024;

const headroomOf = new WeakMap<object, HeadroomRequest>();

/** An encoded request with room in front for what kafkajs writes before it. */
export class HeadroomRequest {
  /** What kafkajs checks. */
  readonly buf: Buffer;

  private constructor(
    private readonly whole: Buffer,
    private readonly start: number,
  ) {
    this.buf = whole.subarray(start);
  }

  /** Its first byte is the first one that `write` may write to. */
  static of(bytes: number, write: (buffer: Buffer, at: number) => void): HeadroomRequest {
    const whole = Buffer.allocUnsafeSlow(headroomBytes + bytes);
    write(whole, headroomBytes);
    return new HeadroomRequest(whole, headroomBytes);
  }

  /** The property that kafkajs reads of its own encoders. */
  get buffer(): Buffer {
    return this.buf;
  }

  /** With these bytes in front; undefined when there is no room for them. */
  after(front: Buffer): HeadroomRequest | undefined {
    const start = this.start - front.length;
    if (start < 0) return undefined;
    front.copy(this.whole, start);
    return new HeadroomRequest(this.whole, start);
  }
}

/**
 * kafkajs copies a request twice, into zeroed buffers of up to twice its size, to put some thirty bytes before it. If a request
 * has room for these bytes, they are written there instead.
 */
export const replaceRequestCopies = (): void => {
  const { prototype } = privateModule('protocol/encoder.js') as { prototype: Encoder };
  const { writeEncoder } = prototype;
  prototype.writeEncoder = function (part) {
    const withHeadroom = part instanceof HeadroomRequest ? part : headroomOf.get(part);
    const whole = withHeadroom?.after(this.buf.subarray(0, this.offset));
    if (!whole) return writeEncoder.call(this, part);
    headroomOf.set(this, whole);
    this.buf = whole.buf;
    this.offset = whole.buf.length;
    return this;
  };
};
