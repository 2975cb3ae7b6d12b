import { type Address } from '../connection/address.js';
import { CookieSecret } from '../crypto/cookie-secret.js';
import { DecodeError } from '../errors.js';
import { type VerifiedHello } from '../handshake/server-handshake.js';
import { decodeClientHello } from '../messages/client-hello.js';
import {
  decodeHandshakeFragments,
  encodeHandshake,
  type HandshakeFragment,
  HandshakeType,
} from '../messages/handshake.js';
import { encodeHelloVerifyRequest } from '../messages/hello-verify-request.js';
import { ContentType, encodePlainRecord, type WireRecord } from '../messages/record.js';

/** The result of examining a record with a ClientHello. */
export type HelloOutcome =
  | { kind: 'malformed' }
  /** The address is not proved: only the reply is sent, and no state is kept. */
  | { kind: 'unverified'; reply: Buffer }
  | { kind: 'verified'; hello: VerifiedHello };

/** Higher numbers leave no room for the server's own numbers, which continue those of the client; a client counts from 0. */
const MESSAGE_SEQUENCE_MAX = 1_000;
const RECORD_SEQUENCE_MAX = 2 ** 40;

const MALFORMED = { kind: 'malformed' } as const;

/**
 * The cookie exchange (RFC 6347 §4.2.1). It keeps no state, and its reply is shorter than the message it answers, so that a
 * spoofed address never gets more than the attacker sends.
 */
export class CookieExchange {
  private readonly secret: CookieSecret;

  constructor(nowMs: () => number) {
    this.secret = new CookieSecret(nowMs);
  }

  /** @returns Undefined when the record does not begin with a ClientHello. */
  examine(record: WireRecord, from: Address): HelloOutcome | undefined {
    if (record.type !== ContentType.Handshake || record.fragment[0] !== HandshakeType.ClientHello) return undefined;
    try {
      const [first] = decodeHandshakeFragments(record.fragment) as [HandshakeFragment];
      // A ClientHello in fragments would need state before its address is proved.
      if (first.fragment.length !== first.length) return MALFORMED;
      if (first.messageSequence > MESSAGE_SEQUENCE_MAX || record.sequence > RECORD_SEQUENCE_MAX) return MALFORMED;
      return this.verify(first, record.sequence, from);
    } catch (error) {
      if (error instanceof DecodeError) return MALFORMED;
      throw error;
    }
  }

  private verify(
    { messageSequence, fragment }: HandshakeFragment,
    recordSequence: number,
    from: Address,
  ): HelloOutcome {
    const body = Buffer.from(fragment);
    const hello = decodeClientHello(body);
    if (this.secret.isValid(from.address, from.port, hello)) {
      return { kind: 'verified', hello: { recordSequence, messageSequence, body, hello } };
    }
    const cookie = this.secret.cookie(from.address, from.port, hello);
    const request = encodeHelloVerifyRequest({ cookie });
    const message = encodeHandshake(HandshakeType.HelloVerifyRequest, messageSequence, request);
    return { kind: 'unverified', reply: encodePlainRecord(ContentType.Handshake, recordSequence, message) };
  }
}
