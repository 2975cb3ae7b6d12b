import { sha256 } from '../crypto/sha256.js';
import { encodeHandshake } from '../messages/handshake.js';

/** Enough for a handshake with a pre-shared key. */
const BYTES = 512;

/** The messages of one handshake that Finished, CertificateVerify and the extended master secret cover (RFC 6347 §4.2.6). */
export class Transcript {
  private held = Buffer.allocUnsafe(BYTES);
  private length = 0;

  /** @returns The whole message, to be sent. */
  add(type: number, messageSequence: number, body: Buffer): Buffer {
    const message = encodeHandshake(type, messageSequence, body);
    const end = this.length + message.length;
    if (end > this.held.length) this.held = Buffer.concat([this.held], 2 * end);
    this.length += message.copy(this.held, this.length);
    return message;
  }

  /** SHA-256 of all messages so far. */
  digest(): Buffer {
    return sha256(this.messages());
  }

  /** All messages so far. Valid until the next one is added. */
  messages(): Buffer {
    return this.held.subarray(0, this.length);
  }
}
