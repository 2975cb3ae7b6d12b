import { randomBytes, type X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { StreamSecurity } from '@lanyard/coap';
import { Injectable } from '@nestjs/common';
import type { ConnectionAuthenticator } from '../transport/connection-authenticator.js';
import type { Sender } from '../transport/sender.js';
import { Authentication, type ShownIdentity } from './authentication.js';
import { certificatesMax } from './certificate-path.js';
import { ListenerAuthenticator } from './listener-authenticator.js';

/** The OpenSSL errors for a client that has another key. */
const wrongKey = /CIPHER_OPERATION_FAILED|DECRYPTION_FAILED|BAD_RECORD_MAC|DIGEST_CHECK_FAILED|BAD_DECRYPT/;

/** With a random key, OpenSSL continues the handshake, which then fails like one with a wrong key. */
const randomKey = (): Buffer => randomBytes(16);

const addressOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress}:${remotePort}`;

/** Authenticates devices over TLS, and disconnects them when their credentials are withdrawn. */
@Injectable()
export class TlsAuthenticator extends ListenerAuthenticator implements ConnectionAuthenticator {
  /** What a client presented in its handshake, because Node does not keep it. */
  private readonly shown = new WeakMap<object, ShownIdentity>();

  constructor(private readonly authentication: Authentication) {
    super(authentication.credentials);
  }

  readonly keyOf: NonNullable<StreamSecurity['keyOf']> = (identity, socket) => {
    const shown = this.authentication.identified(identity);
    this.shown.set(socket, shown);
    return this.authentication.keyOf(shown) ?? randomKey();
  };

  authenticate(socket: Socket | TLSSocket): Sender | undefined {
    if (!(socket instanceof TLSSocket)) return undefined;
    const credential = this.shown.get(socket)?.credential;
    if (credential) return this.authentication.withKey(credential);
    return this.authentication.withCertificate(chainOf(socket), addressOf(socket));
  }

  handshakeFailed(error: Error & { code?: string }, socket: TLSSocket): void {
    const { code = error.message } = error;
    this.authentication.failed(this.shown.get(socket), wrongKey.test(code), addressOf(socket), code);
  }
}

/** The certificates that the client sent, its own first. Node links each to its issuer; the last one may be its own issuer. */
const chainOf = (socket: TLSSocket): X509Certificate[] => {
  const chain: X509Certificate[] = [];
  let certificate = socket.getPeerX509Certificate();
  for (; certificate && chain.length < certificatesMax; certificate = certificate.issuerCertificate)
    chain.push(certificate);
  return chain;
};
