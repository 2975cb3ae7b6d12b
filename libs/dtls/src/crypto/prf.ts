import { createHmac, createSecretKey } from 'node:crypto';

/** The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246 §5). */
export function prf(secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer {
  const key = createSecretKey(secret);
  const hmac = (...parts: Buffer[]): Buffer => {
    const mac = createHmac('sha256', key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  };
  const labelled = Buffer.concat([Buffer.from(label, 'ascii'), seed]);
  // Not from the pool: what is kept for a connection must not keep 8 KiB.
  const output = Buffer.allocUnsafeSlow(bytes);
  let link: Buffer = labelled;
  for (let at = 0; at < bytes;) {
    link = hmac(link);
    at += hmac(link, labelled).copy(output, at);
  }
  return output;
}
