import type { ConnectionState, HandshakeFailed, HandshakeOfClient, PeerCredential } from '@lanyard/dtls';
import type { ConnectionAuthenticator } from './connection-authenticator.js';
import type { Sender, ShownCredential } from './sender.js';

export interface DtlsAuthenticator extends Pick<ConnectionAuthenticator, 'opened' | 'closed' | 'onDisconnect'> {
  /** The pre-shared key of an identity; undefined is refused in the same way as a wrong key. */
  keyOf(identity: Buffer, handshake: HandshakeOfClient): Buffer | undefined;
  /** Whether a device with this certificate may connect. */
  authenticate(credential: PeerCredential, handshake: HandshakeOfClient): boolean;
  /** The identity of a handshake's client, proved now or in the session that it resumes. Undefined: it is not connected. */
  senderOf(handshake: HandshakeOfClient): Sender | undefined;
  /** The same for a connection that began in another process, from the credential that opened it there. */
  senderOfRestored(state: ConnectionState, credential: ShownCredential): Sender | undefined;
  handshakeFailed(error: HandshakeFailed, handshake: HandshakeOfClient): void;
}
