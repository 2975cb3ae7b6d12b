import { AlertDescription } from './alerts.js';

/** Root of everything this library throws or rejects with. */
export class DtlsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Bytes of the peer that cannot be accepted, with the alert that answers them. The message contains none of the bytes. */
export class DecodeError extends DtlsError {
  constructor(
    readonly reason: string,
    /** An `AlertDescription`. */
    readonly alert: number = AlertDescription.DecodeError,
  ) {
    super(`Not acceptable: ${reason}`);
  }
}

/** A message that cannot be written, for example with a cookie of 300 bytes: a mistake of the caller. */
export class UnencodableMessage extends DtlsError {}

/** A plaintext over the size that the peer accepts in one record (RFC 8449), or that DTLS can carry. */
export class RecordTooLarge extends DtlsError {
  constructor(
    readonly bytes: number,
    readonly bytesMax: number,
  ) {
    super(`A record of ${bytes} bytes is too large, the limit is ${bytesMax}`);
  }
}

/** An epoch has used all its sequence numbers; a new handshake is needed (RFC 6347 §4.1). */
export class SequenceExhausted extends DtlsError {
  constructor() {
    super('The sequence numbers of the epoch are used up');
  }
}

/** A connection has sent as many records as it may before its state is saved again (`DtlsServerOptions.savesStates`). */
export class StateNotSaved extends DtlsError {
  constructor() {
    super('The state of the connection must be saved before more records are sent');
  }
}

/** Why a handshake ended without a connection. */
export type HandshakeFailure =
  /** No agreement, or the peer broke the protocol; see `alert`. */
  | 'refused'
  /** Records under the new keys cannot be read: with pre-shared keys, a wrong key or an unknown identity. */
  | 'wrong-key'
  /** `authenticate` returned false. */
  | 'not-authenticated'
  /** `keyOf` or `authenticate` threw or rejected; see `cause`. */
  | 'callback-failed'
  /** The peer sent a fatal alert, see `receivedAlert`; it is not authenticated. */
  | 'alert-received'
  | 'timeout'
  /** The endpoint was closed, or the peer started again. */
  | 'abandoned';

const nameOfAlert = (description: number | undefined): string =>
  Object.entries(AlertDescription).find(([, value]) => value === description)?.[0] ?? `alert ${description}`;

/** Texts for human readers; {@link HandshakeFailure} is for programs. */
const textOf: Record<HandshakeFailure, (received: number | undefined) => string> = {
  refused: () => 'the peer offers nothing that is accepted, or breaks the protocol',
  'wrong-key': () => 'the pre-shared key is wrong, or its identity unknown',
  'not-authenticated': () => 'the peer is not who it has to be',
  'callback-failed': () => 'an error of the program',
  'alert-received': (received) => `the peer refused it with ${nameOfAlert(received)}`,
  timeout: () => 'no answer',
  abandoned: () => 'given up',
};

/** A handshake ended without a connection. Contains no secret. */
export class HandshakeFailed extends DtlsError {
  readonly reason: HandshakeFailure;
  /** The `AlertDescription` sent to the peer. */
  readonly alert?: number;
  /** An `AlertDescription` sent by the peer, or by an attacker in its name. */
  readonly receivedAlert?: number;
  /** The PSK identity, if the handshake got that far. */
  readonly identity?: Buffer;

  constructor(
    reason: HandshakeFailure,
    detail: { text?: string; alert?: number; receivedAlert?: number; identity?: Buffer; cause?: unknown } = {},
  ) {
    super(`The handshake failed: ${detail.text ?? textOf[reason](detail.receivedAlert)}`);
    this.reason = reason;
    this.alert = detail.alert;
    this.receivedAlert = detail.receivedAlert;
    this.identity = detail.identity;
    if (detail.cause !== undefined) this.cause = detail.cause;
  }
}

/** A connection cannot be restored, because the limits allow no more connections (`DtlsServer.hasRoomFor`). */
export class TooManyConnections extends DtlsError {
  constructor() {
    super('There is no room for another DTLS connection');
  }
}

/** The connection is closed, or not open yet. */
export class ConnectionClosed extends DtlsError {
  constructor() {
    super('The DTLS connection is not open');
  }
}

/** Bytes that are no exported state of this version. */
export class InvalidState extends DtlsError {
  constructor(reason: string) {
    super(`Not the state of a connection: ${reason}`);
  }
}
