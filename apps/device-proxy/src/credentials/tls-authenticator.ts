import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Peer, StreamSecurity } from '@lanyard/coap';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Sender, ShownCredential } from '../transport/sender.js';
import type { ConnectionAuthenticator } from '../transport/connection-authenticator.js';
import { CredentialIndex, isWithdrawnBy } from './credential-index.js';
import { isUsable, senderOf } from './identify.js';
import { type Reason, Refusals } from './refusals.js';

/** The OpenSSL error for a client with another key. */
const wrongKey = /CIPHER_OPERATION_FAILED|DECRYPTION_FAILED|BAD_RECORD_MAC|DIGEST_CHECK_FAILED|BAD_DECRYPT/;

/** An unknown identity fails like a wrong key, which keeps secret which identities exist (RFC 4279 §2). */
const randomKey = (): Buffer => randomBytes(16);

const addressOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress}:${remotePort}`;

/** Authenticates devices by their credentials, and disconnects them when those are withdrawn. */
@Injectable()
export class TlsAuthenticator implements ConnectionAuthenticator {
  /** What a client presented in its handshake: Node does not keep it. */
  private readonly shown = new WeakMap<object, { identity: string; credential?: DeviceCredentialChanged }>();
  /** Open connections by the credential they were opened with. */
  private readonly connections = new Map<string, Map<Peer['key'], { peer: Peer; shown: ShownCredential }>>();
  private readonly credentialOf = new Map<Peer['key'], string>();
  private disconnect: (peer: Peer, why: string) => void = () => undefined;

  constructor(
    private readonly credentials: CredentialIndex,
    private readonly refusals: Refusals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    credentials.onWithdrawn((withdrawal) => {
      const withIt = [...(this.connections.get(withdrawal.credentialId)?.values() ?? [])];
      for (const { peer, shown } of withIt)
        if (isWithdrawnBy(shown, withdrawal)) this.disconnect(peer, 'Credential withdrawn');
    });
  }

  onDisconnect(out: (peer: Peer, why: string) => void): void {
    this.disconnect = out;
  }

  readonly keyOf: NonNullable<StreamSecurity['keyOf']> = (identity, socket) => {
    const credential = this.credentials.identified(identity);
    this.shown.set(socket, { identity, ...(credential && { credential }) });
    if (!credential) return randomKey();
    try {
      return this.credentials.keyOf(credential);
    } catch (error) {
      const { credentialId } = credential;
      this.logger.error({ err: error, credentialId }, 'key not readable: was it sealed with another ENCRYPTION_KEY?');
      return randomKey();
    }
  };

  authenticate(peer: Peer, socket: Socket | TLSSocket): Sender | undefined {
    const sender = socket instanceof TLSSocket ? this.identified(socket) : undefined;
    const shown = sender?.credential;
    if (!shown) return undefined;
    const peers = this.connections.get(shown.id) ?? new Map<Peer['key'], { peer: Peer; shown: ShownCredential }>();
    this.connections.set(shown.id, peers.set(peer.key, { peer, shown }));
    this.credentialOf.set(peer.key, shown.id);
    return sender;
  }

  connectionClosed({ key }: Peer): void {
    const credentialId = this.credentialOf.get(key);
    if (credentialId === undefined) return;
    this.credentialOf.delete(key);
    const peers = this.connections.get(credentialId);
    peers?.delete(key);
    if (peers?.size === 0) this.connections.delete(credentialId);
  }

  handshakeFailed(error: Error & { code?: string }, socket: TLSSocket): void {
    const shown = this.shown.get(socket);
    if (!shown) return this.refuse('handshake-failed', socket, error.code ?? error.message);
    if (!shown.credential) return this.refuse('unknown-identity', socket, shown.identity);
    const reason = wrongKey.test(error.code ?? '') ? 'wrong-key' : 'handshake-failed';
    this.refuse(reason, socket, shown.identity, shown.credential);
  }

  private identified(socket: TLSSocket): Sender | undefined {
    const credential = this.shown.get(socket)?.credential;
    if (!credential) return this.certified(socket);
    const shown = { id: credential.credentialId };
    // It may have been deleted during the handshake.
    if (!this.credentials.isValid(shown)) return undefined;
    const sender = senderOf(credential);
    return sender && { ...sender, credential: shown };
  }

  private certified(socket: TLSSocket): Sender | undefined {
    const { credentials, clock } = this;
    const x509 = socket.getPeerX509Certificate();
    if (!x509) return this.refuse('no-certificate', socket);
    const { credential, serials = [] } = credentials.certified(x509, clock.now()) ?? {};
    const sender = credential && senderOf(credential, x509);
    if (!sender) return this.refuse('unknown-certificate', socket, x509.subject);
    if (!isUsable(x509, clock.now())) return this.refuse('expired-certificate', socket, x509.subject, credential);
    const shown = { id: credential.credentialId, ...(serials.length > 0 && { serials }) };
    if (!credentials.isValid(shown)) return this.refuse('revoked-certificate', socket, x509.subject, credential);
    return { ...sender, credential: shown };
  }

  private refuse(reason: Reason, socket: Socket, shown?: string, credential?: DeviceCredentialChanged): undefined {
    const { accountId, deviceId } = credential ?? {};
    this.refusals.report(reason, {
      address: addressOf(socket),
      ...(shown !== undefined && { shown }),
      ...(accountId !== undefined && { accountId }),
      ...(deviceId !== undefined && { deviceId }),
    });
    return undefined;
  }
}
