import { AlertDescription } from '../alerts.js';
import { type CipherSuite } from '../crypto/suites.js';
import { DecodeError } from '../errors.js';
import { RECORD_SIZE_LIMIT_MIN } from '../limits.js';

/** What the two hellos agreed on. */
export interface Negotiated {
  suite: CipherSuite;
  /** RFC 7627. */
  extendedMasterSecret: boolean;
  /** Connection id on the records that arrive here; empty: none (RFC 9146). */
  ownConnectionId: Buffer;
  /** Connection id on the records that are sent; empty: none. */
  peerConnectionId: Buffer;
  /** Largest plaintexts (RFC 8449). */
  sendBytesMax: number;
  receiveBytesMax: number;
  /** Largest plaintext to send, which also applies before the keys are used (RFC 6066 §4). */
  plainBytesMax?: number | undefined;
  /** `CertificateType`s (RFC 7250). */
  serverCertificateType: number;
  clientCertificateType: number;
}

/** @throws DecodeError for a limit that no peer may ask for (RFC 8449 §4); undefined: it asks for none */
export function checkRecordSizeLimit(limit: number | undefined): void {
  if (limit !== undefined && limit < RECORD_SIZE_LIMIT_MIN) {
    throw new DecodeError('extensions: record size limit below 64', AlertDescription.IllegalParameter);
  }
}
