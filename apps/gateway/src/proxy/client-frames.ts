import { Transform, type TransformCallback } from 'node:stream';

const maskBit = 0x80;
const lengthBits = 0x7f;

/** FIN and opcode 8, two masked bytes of payload, mask 0. */
const closeFrame = (code: number): Buffer => {
  const frame = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt16BE(code, 6);
  return frame;
};

/**
 * Passes on what a client sends, until `close` appends a close frame to the current frame and drops the rest. The
 * server's response to it then follows everything that the server had sent, so nothing in flight is lost.
 */
export class ClientFrames extends Transform {
  /** Bytes missing of the current frame, or of its header while that is read. */
  private left = 0;
  private readonly head: number[] = [];
  private code: number | undefined;
  private isClosed = false;

  close(code: number): void {
    if (this.code !== undefined) return;
    this.code = code;
    if (this.left === 0 && this.head.length === 0) this.finishWith(code);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.isClosed) return done();
    let at = 0;
    while (at < chunk.length) {
      at = this.left > 0 ? this.skip(chunk, at) : this.readHead(chunk, at);
      if (this.code === undefined || this.left > 0 || this.head.length > 0) continue;
      this.push(chunk.subarray(0, at));
      this.finishWith(this.code);
      return done();
    }
    // The chunk is passed on as a whole: it may have ten thousand frames.
    this.push(chunk);
    done();
  }

  private skip(chunk: Buffer, at: number): number {
    const taken = Math.min(this.left, chunk.length - at);
    this.left -= taken;
    return at + taken;
  }

  private readHead(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      this.head.push(chunk[at++] as number);
      const { length } = this.head;
      if (length < 2 || length < this.headLength()) continue;
      this.left = this.payloadLength();
      this.head.length = 0;
      break;
    }
    return at;
  }

  private headLength(): number {
    const second = this.head[1] as number;
    const extended = { 126: 2, 127: 8 }[second & lengthBits] ?? 0;
    return 2 + extended + (second & maskBit ? 4 : 0);
  }

  private payloadLength(): number {
    const short = (this.head[1] as number) & lengthBits;
    if (short === 126) return Buffer.from(this.head).readUInt16BE(2);
    // Lengths above 2^53 cannot occur: the dispatcher refuses far shorter frames.
    return short === 127 ? Number(Buffer.from(this.head).readBigUInt64BE(2)) : short;
  }

  private finishWith(code: number): void {
    this.isClosed = true;
    this.push(closeFrame(code));
  }
}
