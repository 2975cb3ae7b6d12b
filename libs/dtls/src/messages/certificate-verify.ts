import { Reader } from './reader.js';
import { uint16, vector16 } from './writer.js';

/** RFC 5246 §7.4.8. */
export interface CertificateVerify {
  /** A `SignatureAlgorithm`. */
  algorithm: number;
  /** Over all handshake messages before this one. */
  signature: Buffer;
}

/** @throws DecodeError */
export function decodeCertificateVerify(body: Buffer): CertificateVerify {
  const reader = new Reader(body, 'CertificateVerify');
  const algorithm = reader.uint16();
  const signature = reader.vector16();
  reader.expectEnd();
  return { algorithm, signature };
}

export function encodeCertificateVerify({ algorithm, signature }: CertificateVerify): Buffer {
  return Buffer.concat([uint16(algorithm), vector16(signature)]);
}
