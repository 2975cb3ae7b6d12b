import { sha256 } from '../crypto/sha256.js';
import { encodeHandshake } from '../messages/handshake.js';

/** The messages of one handshake that Finished, CertificateVerify and the extended master secret cover (RFC 6347 §4.2.6). */
export class Transcript {
  private readonly held: Buffer[] = [];

  /** @returns The whole message, to be sent. */
  add(type: number, messageSequence: number, body: Buffer): Buffer {
    const message = encodeHandshake(type, messageSequence, body);
    this.held.push(message);
    return message;
  }

  /** SHA-256 of all messages so far. */
  digest(): Buffer {
    return sha256(Buffer.concat(this.held));
  }

  messages(): readonly Buffer[] {
    return this.held;
  }
}
