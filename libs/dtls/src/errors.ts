import { AlertDescription } from './alerts.js';

/** Root of everything this library throws or rejects with. */
export class DtlsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Bytes of the peer that cannot be accepted, with the alert that answers them. The message holds none of the bytes. */
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
