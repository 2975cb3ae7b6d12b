import { HmacKey } from './hmac.js';

/** The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246 §5). */
export function prf(secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer {
  const hmac = new HmacKey(secret);
  const labelled = Buffer.concat([Buffer.from(label, 'ascii'), seed]);
  const output = Buffer.allocUnsafe(bytes);
  const link = hmac.digest(labelled);
  let at = hmac.digestInto(output, 0, link, labelled);
  while (at < bytes) {
    hmac.digestInto(link, 0, link);
    at += hmac.digestInto(output, at, link, labelled);
  }
  return output;
}
