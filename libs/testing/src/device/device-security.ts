import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { DtlsClientOptions } from '@lanyard/dtls';
import type { Certified } from '../certificates.js';

/** How a device authenticates itself, and what it expects of the server. */
export type DeviceSecurity =
  | { psk: { identity: string; key: Buffer } }
  /** `trusts`: the server's own certificate, PEM; without `own` the device shows no certificate. */
  | { trusts: string; own?: Certified }
  /** Raw public keys in both directions (RFC 7250), over DTLS: the device's private key and the server's public key, PEM. */
  | { privateKey: string; serverKey: string };

export const withKey = (identity: string, keyHex: string): DeviceSecurity => ({
  psk: { identity, key: Buffer.from(keyHex, 'hex') },
});

/** The certificate in `own` may be followed by those of its issuers. `server`: the certificate of the server, PEM. */
export const withCertificate = (own: Certified, server: string): DeviceSecurity => ({ own, trusts: server });

export const withPublicKey = (privateKey: string, serverKey: string): DeviceSecurity => ({ privateKey, serverKey });

export const withoutCertificate = (server: string): DeviceSecurity => ({ trusts: server });

const ciphers = 'PSK-AES128-CCM8:ECDHE-ECDSA-AES128-CCM8:ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0';

export const tlsOptions = (security: DeviceSecurity): ConnectionOptions => {
  const shared = { ciphers, maxVersion: 'TLSv1.2', checkServerIdentity: () => undefined } as const;
  if ('psk' in security) {
    const { identity, key } = security.psk;
    return { ...shared, pskCallback: () => ({ identity, psk: key }) };
  }
  if ('serverKey' in security) throw new Error('TLS has no raw public keys here');
  const { own, trusts } = security;
  return { ...shared, ca: trusts, ...(own && { cert: own.certificate, key: own.privateKey }) };
};

/** The certificates of a PEM text, in DER. */
const chainIn = (pem: string): Buffer[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one).raw,
  );

type DtlsSecurity = Pick<DtlsClientOptions, 'psk' | 'certificate' | 'rawPublicKeys' | 'authenticate'>;

export const dtlsOptions = (security: DeviceSecurity): DtlsSecurity => {
  if ('psk' in security) {
    const { identity, key } = security.psk;
    return { psk: { identity: Buffer.from(identity), key } };
  }
  if ('serverKey' in security) {
    const serverKey = createPublicKey(security.serverKey).export({ format: 'der', type: 'spki' });
    return {
      rawPublicKeys: true,
      certificate: { chain: [], privateKey: createPrivateKey(security.privateKey) },
      authenticate: (shown) => shown.kind === 'raw-public-key' && shown.publicKey.equals(serverKey),
    };
  }
  const { own, trusts } = security;
  const server = new X509Certificate(trusts);
  return {
    authenticate: (shown) => shown.kind === 'x509' && shown.chain[0]?.raw.equals(server.raw) === true,
    ...(own && {
      certificate: { chain: chainIn(own.certificate), privateKey: createPrivateKey(own.privateKey) },
    }),
  };
};
