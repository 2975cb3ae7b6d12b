import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type OwnCertificate, type PeerCredential } from '@lanyard/dtls';
import { DtlsServerTransport as Transport, selfSigned } from '@lanyard/testing';

const serverCertificate = (): OwnCertificate => {
  const { certificate, privateKey } = selfSigned('server');
  return { chain: [new X509Certificate(certificate).raw], privateKey: createPrivateKey(privateKey) };
};

/** Accepts every certificate and raw public key, and the pre-shared keys of its clients. */
export class DtlsServerTransport extends Transport {
  constructor(
    readonly keys = new Map<string, Buffer>(),
    readonly certificate = serverCertificate(),
  ) {
    super({ certificate, authenticate: () => true, keyOf: (identity) => keys.get(identity.toString()) });
  }

  /** How each client proved who it is, in the order of their handshakes. */
  get proofs(): PeerCredential[] {
    return this.connected.map(({ peer }) => peer);
  }

  /** Ends every connection without a word, as after a crash. */
  forgetAll(): void {
    for (const connection of [...this.open.values()]) connection.endWith('closed');
  }
}
