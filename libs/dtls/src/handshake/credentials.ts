import { type KeyObject, X509Certificate } from 'node:crypto';
import { type PackedBytes, packBytes, unpackBytes } from '../crypto/packed-bytes.js';

/** How a peer proved who it is. */
export type PeerCredential =
  /** The peer knows the key of this identity. */
  | { kind: 'psk'; identity: Buffer }
  /** The peer has the private key of the first certificate. It sent the others along, and they are not checked. */
  | { kind: 'x509'; chain: X509Certificate[] }
  /** The peer has the private key of this SubjectPublicKeyInfo (DER). */
  | { kind: 'raw-public-key'; publicKey: Buffer }
  /** A client without a credential; only where none is requested. */
  | { kind: 'anonymous' };

/** This endpoint's certificate and its key, P-256. */
export interface OwnCertificate {
  /** DER, this endpoint's certificate first; empty: only the raw public key (RFC 7250). */
  chain: Buffer[];
  privateKey: KeyObject;
}

/** Whether a peer that has proved its private key is accepted. A server also asks before it resumes a session. */
export type Authenticate = (credential: PeerCredential) => boolean | Promise<boolean>;

/** The positions in this list are part of exported states. */
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

/** @throws Error when the bytes are not a result of `packCredential` */
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

/** No lengths are stored, because DER contains its length: SEQUENCE, and one to three bytes of length. */
function readChain(content: Buffer): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let at = 0; at < content.length;) {
    const certificate = new X509Certificate(content.subarray(at));
    chain.push(certificate);
    at += certificate.raw.length;
  }
  return chain;
}
