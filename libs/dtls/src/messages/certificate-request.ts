import { Reader } from './reader.js';
import { uint16List, uint8List, vector16 } from './writer.js';

/** Types of certificates with which a client authenticates (RFC 5246 §7.4.4, RFC 8422 §5.5). */
export const ClientCertificateType = { EcdsaSign: 64 } as const;

/** RFC 5246 §7.4.4. */
export interface CertificateRequest {
  /** `ClientCertificateType`s; not the `CertificateType`s of RFC 7250. */
  certificateTypes: number[];
  /** `SignatureAlgorithm`s. */
  signatureAlgorithms: number[];
  /** Distinguished names, DER; empty: any authority. */
  authorities: Buffer[];
}

/** @throws DecodeError */
export function decodeCertificateRequest(body: Buffer): CertificateRequest {
  const reader = new Reader(body, 'CertificateRequest');
  const certificateTypes = reader.uint8List(1);
  const signatureAlgorithms = reader.uint16List(1);
  const list = new Reader(reader.vector16(), 'CertificateRequest');
  reader.expectEnd();
  const authorities: Buffer[] = [];
  while (list.remaining > 0) authorities.push(list.vector16(1));
  return { certificateTypes, signatureAlgorithms, authorities };
}

/** @throws UnencodableMessage */
export function encodeCertificateRequest(request: CertificateRequest): Buffer {
  return Buffer.concat([
    uint8List(request.certificateTypes),
    uint16List(request.signatureAlgorithms),
    vector16(...request.authorities.map((authority) => vector16(authority))),
  ]);
}
