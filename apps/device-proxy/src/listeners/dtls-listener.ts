import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OwnCertificate } from '@lanyard/dtls';
import { ConfigError } from '@lanyard/service';
import type { DtlsConfig } from '../config.js';
import { CoapDtls, type DtlsParts } from '../transport/coap-dtls.js';

type SharedParts = Omit<
  DtlsParts,
  'host' | 'port' | 'receiveBufferBytes' | 'ackTimeoutMs' | 'coapLimits' | 'dtlsLimits' | 'idleMs' | 'certificate'
>;

const pemCertificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a private key and, if given, its certificate chain, both in PEM. The cipher suites of the listener need a key
 * on P-256 (RFC 7925 §4.2). Throws ConfigError for a key on another curve, or when the chain does not begin with the
 * certificate of the key.
 */
export const ownCertificate = (privateKeyPem: string, certificatePem?: string): OwnCertificate => {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new ConfigError('DEVICE_PROXY_COAP_DTLS_PRIVATE_KEY_FILE', 'must contain a key on the curve P-256');
  if (certificatePem === undefined) return { chain: [], privateKey };
  const chain = (certificatePem.match(pemCertificates) ?? []).map((pem) => new X509Certificate(pem));
  if (!chain[0]?.checkPrivateKey(privateKey))
    throw new ConfigError(
      'DEVICE_PROXY_COAP_DTLS_CERTIFICATE_FILE',
      'must begin with the certificate of the private key',
    );
  return { chain: chain.map(({ raw }) => raw), privateKey };
};

const certificateOf = ({ certificateFile, privateKeyFile }: DtlsConfig): OwnCertificate | undefined => {
  if (privateKeyFile === undefined) return undefined;
  const certificate = certificateFile === undefined ? undefined : readFileSync(certificateFile, 'utf8');
  return ownCertificate(readFileSync(privateKeyFile, 'utf8'), certificate);
};

export const dtlsListener = (dtls: DtlsConfig, shared: SharedParts): CoapDtls => {
  const { host, port, receiveBufferBytes, limits } = dtls;
  const certificate = certificateOf(dtls);
  const { ackTimeoutMs, blockBytes, handshakeTimerMs } = dtls;
  return new CoapDtls({
    ...shared,
    host,
    port,
    receiveBufferBytes,
    idleMs: limits.idleMs,
    ...(ackTimeoutMs !== undefined && { ackTimeoutMs }),
    ...(certificate && { certificate }),
    coapLimits: {
      ...(blockBytes !== undefined && { blockBytes }),
      ...(limits.uploadsMax !== undefined && { uploadsMax: limits.uploadsMax }),
    },
    dtlsLimits: {
      connectionsMax: limits.connectionsMax,
      connectionsPerSourceMax: limits.connectionsPerAddressMax,
      handshakesMax: limits.handshakesMax,
      handshakesPerSourceMax: limits.handshakesPerAddressMax,
      handshakesPerSourcePerSecond: limits.handshakesPerAddressPerSecond,
      ...(handshakeTimerMs !== undefined && { retransmissionMs: handshakeTimerMs }),
    },
  });
};
