export { AlertDescription } from './alerts.js';
export { DtlsClient, type DtlsClientOptions, type ResumableSession } from './client/dtls-client.js';
export { type Address, sourceOf } from './connection/address.js';
export { type ConnectionState, decodeState, encodeState } from './connection/connection-state.js';
export { type CloseReason, type DtlsConnection } from './connection/connection.js';
export { encodePublicKey } from './crypto/public-keys.js';
export { CIPHER_SUITES, type CipherSuite } from './crypto/suites.js';
export {
  ConnectionClosed,
  DecodeError,
  DtlsError,
  HandshakeFailed,
  type HandshakeFailure,
  InvalidState,
  RecordTooLarge,
  SequenceExhausted,
  StateNotSaved,
  TooManyConnections,
  UnencodableMessage,
} from './errors.js';
export { type Authenticate, type OwnCertificate, type PeerCredential } from './handshake/credentials.js';
export { type KeyOf } from './handshake/server-handshake.js';
export { DEFAULT_LIMITS, type DtlsLimits, TAKE_OVER_SEQUENCES } from './limits.js';
export { connectionIdIn } from './messages/record.js';
export { ReplayWindow } from './record/replay-window.js';
export { DtlsServer } from './server/dtls-server.js';
export {
  DTLS_EVENTS,
  type DtlsEvent,
  type DtlsGauges,
  type DtlsServerOptions,
  type HandshakeOfClient,
} from './server/options.js';
export { type DtlsClock, systemDtlsClock } from './timing/clock.js';
export { type DtlsTimer, type DtlsTimers, TickingTimers } from './timing/timers.js';
