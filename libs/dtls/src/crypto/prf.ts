import { HmacKey } from './hmac.js';

/** The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246 §5). @param seed Its parts, in order. */
export function prf(secret: Buffer, label: string, bytes: number, ...seed: readonly Buffer[]): Buffer {
  const hmac = new HmacKey(secret);
  const labelled = [Buffer.from(label, 'ascii'), ...seed];
  const output = Buffer.allocUnsafe(bytes);
  // A(i) of the RFC, from i = 1 on.
  const chained = hmac.digest(...labelled);
  let at = hmac.digestInto(output, 0, chained, ...labelled);
  while (at < bytes) {
    hmac.digestInto(chained, 0, chained);
    at += hmac.digestInto(output, at, chained, ...labelled);
  }
  return output;
}
