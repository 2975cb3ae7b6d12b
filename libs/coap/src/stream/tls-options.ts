import { constants } from 'node:crypto';
import { type TlsOptions, type TLSSocket } from 'node:tls';
import { type StreamCore } from './core.js';
import { type StreamSecurity } from './options.js';

/**
 * In our order of preference: the suites of LwM2M 1.1 (transport §5.2.8), and those of devices in the field. CCM_8 is below the default
 * security level of OpenSSL, hence `@SECLEVEL=0`; therefore the list is explicit, and contains no suite without authentication.
 */
export const STREAM_CIPHERS = [
  'PSK-AES128-GCM-SHA256',
  'PSK-AES128-CCM8',
  'PSK-AES128-CBC-SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES128-CCM8',
  'ECDHE-RSA-AES128-GCM-SHA256',
  '@SECLEVEL=0',
].join(':');

/** RFC 8323 §8.2. A client that offers no protocol at all is accepted. */
export const STREAM_ALPN = 'coap';

export function serverTlsOptions(security: StreamSecurity, core: StreamCore): TlsOptions {
  const { certificate, privateKey, keyOf } = security;
  return {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: STREAM_CIPHERS,
    honorCipherOrder: true,
    ALPNProtocols: [STREAM_ALPN],
    handshakeTimeout: core.limits.handshakeTimeoutMs,
    // A resumed session would skip the key, and with it a revocation.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    // The application decides which issuers it accepts; TLS proves in any case that the peer holds the private key.
    requestCert: certificate !== undefined,
    rejectUnauthorized: false,
    ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
    ...(keyOf === undefined
      ? {}
      : {
          pskCallback: (socket: TLSSocket, identity: string) =>
            core.guarded(() => keyOf(identity, socket), undefined) ?? null,
        }),
  };
}
