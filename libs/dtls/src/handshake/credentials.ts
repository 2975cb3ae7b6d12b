import { type KeyObject, X509Certificate } from 'node:crypto';
import { type PackedBytes, packBytes, unpackBytes } from '../crypto/packed-bytes.js';

/** How a peer proved who it is. */
export type PeerCredential =
  /** It knows the key of this identity. */
  | { kind: 'psk'; identity: Buffer }
  /** It has the private key of the first certificate. The others are what it sent with it, unchecked. */
  | { kind: 'x509'; chain: X509Certificate[] }
  /** It has the private key of this SubjectPublicKeyInfo (DER). */
  | { kind: 'raw-public-key'; publicKey: Buffer }
  /** A client without any; only where none is asked for. */
  | { kind: 'anonymous' };

/** The own certificate and its key, P-256. */
export interface OwnCertificate {
  /** DER, the own certificate first; empty: only the raw public key (RFC 7250). */
  chain: Buffer[];
  privateKey: KeyObject;
}

export type Authenticate = (credential: PeerCredential) => boolean | Promise<boolean>;

/** Their places are part of exported states. */
const KINDS = ['anonymous', 'psk', 'raw-public-key', 'x509'] as const;

/** A credential in as few bytes as possible: each connection keeps one. */
export function packCredential(credential: PeerCredential): PackedBytes {
  const kind = Buffer.from([KINDS.indexOf(credential.kind)]);
  return packBytes(Buffer.concat([kind, ...contentOf(credential)]));
}

function contentOf(credential: PeerCredential): readonly Buffer[] {
  switch (credential.kind) {
    case 'anonymous':
      return [];
    case 'psk':
      return [credential.identity];
    case 'raw-public-key':
      return [credential.publicKey];
    case 'x509':
      return credential.chain.map(({ raw }) => raw);
  }
}

/** @throws Error when the bytes are not of `packCredential` */
export function unpackCredential(packed: PackedBytes): PeerCredential {
  const content = unpackBytes(packed.slice(1));
  switch (KINDS[packed.charCodeAt(0)]) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'psk':
      return { kind: 'psk', identity: content };
    case 'raw-public-key':
      return { kind: 'raw-public-key', publicKey: content };
    case 'x509':
      return { kind: 'x509', chain: readChain(content) };
    default:
      throw new Error('Unknown kind of credential');
  }
}

/** DER says its own length: SEQUENCE, and one to three bytes of it. */
function readChain(content: Buffer): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let at = 0; at < content.length;) {
    const certificate = new X509Certificate(content.subarray(at));
    chain.push(certificate);
    at += certificate.raw.length;
  }
  return chain;
}
