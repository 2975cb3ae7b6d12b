import type { CoapConfig, TlsConfig } from '../config.js';
import type { TlsAuthenticator } from '../credentials/tls-authenticator.js';
import { CoapStream, type StreamParts } from '../transport/coap-stream.js';
import { acceptAll } from '../transport/connection-authenticator.js';
import { readCertificateFiles } from './certificate-renewal.js';

type SharedParts = Pick<StreamParts, 'admissionControl' | 'logger' | 'events' | 'isSuspended'>;

export const tlsStream = (tls: TlsConfig, authenticator: TlsAuthenticator, shared: SharedParts): CoapStream => {
  const { host, port, certificateFile, privateKeyFile, limits } = tls;
  const certified =
    certificateFile === undefined || privateKeyFile === undefined
      ? {}
      : readCertificateFiles({ certificateFile, privateKeyFile });
  return new CoapStream({ scheme: 'coaps+tcp', host, port, limits, certified, authenticator, ...shared });
};

export const tcpStream = ({ host, port, accountId }: CoapConfig, shared: SharedParts): CoapStream =>
  new CoapStream({
    scheme: 'coap+tcp',
    host,
    port,
    limits: {},
    certified: {},
    authenticator: acceptAll(accountId),
    ...shared,
  });
