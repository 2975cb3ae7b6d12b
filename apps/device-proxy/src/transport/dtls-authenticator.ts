import type { Peer } from '@lanyard/coap';
import type {
  ConnectionState,
  DtlsConnection,
  HandshakeFailed,
  HandshakeOfClient,
  PeerCredential,
} from '@lanyard/dtls';
import type { Sender, ShownCredential } from './sender.js';

export interface DtlsAuthenticator {
  /** The pre-shared key of an identity; undefined is refused as a wrong key is. */
  keyOf(identity: Buffer, handshake: HandshakeOfClient): Buffer | undefined;
  /** Whether a device with this certificate may connect. */
  authenticate(credential: PeerCredential, handshake: HandshakeOfClient): boolean;
  /** Who the client of a handshake is: it has proved it, or resumes a session in which it did. */
  senderOf(handshake: HandshakeOfClient): Sender | undefined;
  /** The identity of the peer of a new connection; undefined closes it. */
  connected(peer: Peer, connection: DtlsConnection, handshake: HandshakeOfClient): Sender | undefined;
  /** The same for a connection that began in another process, by the credential that opened it there. */
  restored(peer: Peer, state: ConnectionState, credential: ShownCredential): Sender | undefined;
  connectionClosed(peer: Peer): void;
  handshakeFailed(error: HandshakeFailed, handshake: HandshakeOfClient): void;
  /** Registers the function that closes the connection of a peer whose access has ended. */
  onDisconnect(out: (peer: Peer, why: string) => void): void;
}
