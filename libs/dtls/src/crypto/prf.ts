import { HmacKey } from './hmac.js';
import { SHA256_BYTES } from './sha256.js';

/** The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246 §5). */
export function prf(secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer {
  const hmac = new HmacKey(secret);
  const labelled = Buffer.concat([Buffer.from(label, 'ascii'), seed]);
  // Not from the pool: what is kept for a connection must not keep 8 KiB.
  const output = Buffer.allocUnsafeSlow(bytes);
  const link = Buffer.allocUnsafe(SHA256_BYTES);
  hmac.digestInto(link, 0, labelled);
  for (let at = 0; at < bytes;) {
    at += hmac.digestInto(output, at, link, labelled);
    hmac.digestInto(link, 0, link);
  }
  return output;
}
