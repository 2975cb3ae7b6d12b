import type { ConnectionState, HandshakeFailed, HandshakeOfClient, PeerCredential } from '@lanyard/dtls';
import { Injectable } from '@nestjs/common';
import type { DtlsAuthenticator } from '../transport/dtls-authenticator.js';
import type { Sender, ShownCredential } from '../transport/sender.js';
import { Authentication, type ShownIdentity } from './authentication.js';
import { ListenerAuthenticator } from './listener-authenticator.js';

/** What a client has shown in its handshake so far: an identity, or a certificate or public key that was accepted. */
type Notes = { shown: ShownIdentity } | { sender: Sender };

const addressOf = ({ remote: { address, port } }: HandshakeOfClient): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`;

/** Authenticates devices over DTLS, and disconnects them when their credentials are withdrawn. */
@Injectable()
export class DtlsDeviceAuthenticator extends ListenerAuthenticator implements DtlsAuthenticator {
  private readonly notes = new WeakMap<HandshakeOfClient, Notes>();

  constructor(private readonly authentication: Authentication) {
    super(authentication.credentials);
  }

  keyOf(identity: Buffer, handshake: HandshakeOfClient): Buffer | undefined {
    const shown = this.authentication.identified(identity.toString());
    this.notes.set(handshake, { shown });
    return this.authentication.keyOf(shown);
  }

  authenticate(credential: PeerCredential, handshake: HandshakeOfClient): boolean {
    const sender = this.senderWith(credential, addressOf(handshake));
    if (sender) this.notes.set(handshake, { sender });
    return sender !== undefined;
  }

  /** Checks the credential again, because it may have been withdrawn since. */
  senderOf(handshake: HandshakeOfClient): Sender | undefined {
    const notes = this.notes.get(handshake);
    if (!notes) return undefined;
    if ('shown' in notes) return notes.shown.credential && this.authentication.withKey(notes.shown.credential);
    const { credential } = notes.sender;
    return credential && this.authentication.credentials.isValid(credential) ? notes.sender : undefined;
  }

  senderOfRestored({ peer: proved }: ConnectionState, credential: ShownCredential): Sender | undefined {
    const x509 = proved.kind === 'x509' ? proved.chain[0] : undefined;
    return this.authentication.reidentify(credential, x509);
  }

  handshakeFailed({ message, reason }: HandshakeFailed, handshake: HandshakeOfClient): void {
    // Already reported, with what was wrong with the certificate.
    if (reason === 'not-authenticated') return;
    const notes = this.notes.get(handshake);
    const shown = notes && 'shown' in notes ? notes.shown : undefined;
    // The device began again, or this replica is stopping: only an unknown identity counts as refused.
    if (reason === 'abandoned' && (!shown || shown.credential)) return;
    this.authentication.failed(shown, reason === 'wrong-key', addressOf(handshake), message);
  }

  private senderWith(credential: PeerCredential, address: string): Sender | undefined {
    if (credential.kind === 'x509') return this.authentication.withCertificate(credential.chain, address);
    if (credential.kind === 'raw-public-key') return this.authentication.withPublicKey(credential.publicKey, address);
    return this.authentication.refuse('no-certificate', address);
  }
}
