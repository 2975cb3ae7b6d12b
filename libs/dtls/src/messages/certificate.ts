import { Reader } from './reader.js';
import { CertificateType } from './extensions.js';
import { vector24 } from './writer.js';
import { UnencodableMessage } from '../errors.js';

/**
 * Reads a Certificate message: a chain of DER certificates, the sender's first (RFC 5246 §7.4.2), or one SubjectPublicKeyInfo
 * (RFC 7250 §3). Empty when a client has none. Entries are views of `body`.
 * @param type The negotiated `CertificateType`.
 * @throws DecodeError
 */
export function decodeCertificate(body: Buffer, type: number): Buffer[] {
  const message = new Reader(body, 'Certificate');
  const content = message.vector24();
  message.expectEnd();
  if (type === CertificateType.RawPublicKey) return content.length === 0 ? [] : [content];
  const chain: Buffer[] = [];
  const list = new Reader(content, 'Certificate');
  while (list.remaining > 0) chain.push(list.vector24(1));
  return chain;
}

/** @throws UnencodableMessage */
export function encodeCertificate(entries: readonly Buffer[], type: number): Buffer {
  if (type !== CertificateType.RawPublicKey) return vector24(...entries.map((entry) => vector24(entry)));
  if (entries.length > 1) throw new UnencodableMessage('One raw public key');
  return vector24(...entries);
}
