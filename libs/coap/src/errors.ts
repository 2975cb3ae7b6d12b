/** Root of everything this library throws or rejects with. */
export class CoapError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** What is known about a datagram that broke the format, enough to decide between a Reset and silence. */
export interface MalformedHeader {
  type: 'CON' | 'NON' | 'ACK' | 'RST';
  messageId: number;
}

/**
 * Bytes that are not a CoAP message (RFC 7252 §3). `header` is present when version 1 and the four fixed bytes could be
 * read, so that a confirmable message can be rejected with a Reset.
 */
export class MalformedMessage extends CoapError {
  constructor(
    readonly reason: string,
    readonly header?: MalformedHeader,
  ) {
    super(`Malformed CoAP message: ${reason}`);
  }
}

/** A message that cannot be written, for example with a token of nine bytes: a mistake of the caller. */
export class UnencodableMessage extends CoapError {}

/** A message larger than the receiver said it accepts (RFC 8323 §5.3.1). */
export class MessageTooLarge extends CoapError {
  constructor(readonly bytes: number) {
    super(`A message of ${bytes} bytes is too large`);
  }
}

/** There is no connection to the peer, or it ended while the request was waiting. */
export class NotConnected extends CoapError {
  constructor(
    /** The request had been sent, so it may have been executed. */
    readonly sent = false,
  ) {
    super(sent ? 'The connection ended before the response' : 'No connection to the peer');
  }
}

/** An address that is not a literal IP address, or an invalid port. Host names are never resolved here. */
export class InvalidPeerAddress extends CoapError {}

/** No acknowledgement after all retransmissions, or no separate response in time. The request may still have been executed. */
export class RequestTimedOut extends CoapError {
  constructor(
    /** The peer acknowledged the request; only the response is missing. */
    readonly acknowledged: boolean,
  ) {
    super(acknowledged ? 'The request was acknowledged but not answered in time' : 'The request was not acknowledged');
  }
}

/** The signal of the request aborted. The request may have been executed. */
export class RequestAbandoned extends CoapError {
  constructor() {
    super('The request was given up');
  }
}

/** The peer answered with a Reset: it has no context for the message. */
export class PeerReset extends CoapError {
  constructor(
    /** The message was acknowledged or retransmitted before: the first copy may have been executed, for example before a reboot. */
    readonly isLate = false,
  ) {
    super('The peer reset the message');
  }
}

/** The response has a critical option that this library does not know, so it must not be used (RFC 7252 §5.4.1). */
export class UnusableResponse extends CoapError {}

/** A block-wise transfer that cannot be completed: wrong order, changed representation, too large or refused. */
export class BlockTransferFailed extends CoapError {
  constructor(
    reason: string,
    /** Code of the response that ended the transfer, when an error of the peer did. */
    readonly code?: number,
  ) {
    super(`Block-wise transfer failed: ${reason}`);
  }
}

/** The source of an answer rejects with this error to choose the code of the response, for example 5.03. */
export class SourceUnavailable extends CoapError {
  constructor(
    readonly code: number,
    /** When the peer may try again. */
    readonly maxAgeSeconds?: number,
  ) {
    super(`The source has no bytes: ${code >> 5}.${String(code & 0x1f).padStart(2, '0')}`);
  }
}

/** The queue behind the peer, or the table of peers, is full. Nothing was sent. */
export class QueueFull extends CoapError {}

/** The peer was forgotten (`forgetPeer`) while the request was waiting. */
export class PeerForgotten extends CoapError {
  constructor() {
    super('The peer was forgotten');
  }
}

/** The endpoint is closed, or was closed while the request was waiting. */
export class EndpointClosed extends CoapError {
  constructor() {
    super('The CoAP endpoint is closed');
  }
}
