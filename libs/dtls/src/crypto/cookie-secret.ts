import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type ClientHello } from '../messages/client-hello.js';
import { HmacKey } from './hmac.js';

const COOKIE_BYTES = 16;
const SECRET_BYTES = 32;
/** A cookie is valid for one to two of these periods. */
const ROTATION_MS = 60_000;

/**
 * Cookies that prove the address of a client without state (RFC 6347 §4.2.1): an HMAC of the address and of the fields that the
 * client must repeat. The secret changes every minute, and the previous one is still accepted.
 */
export class CookieSecret {
  private current = newSecret();
  private previous = newSecret();
  private rotatedAtMs: number;

  constructor(private readonly nowMs: () => number) {
    this.rotatedAtMs = nowMs();
  }

  cookie(address: string, port: number, hello: ClientHello): Buffer {
    this.rotate();
    return cookieWith(this.current, address, port, hello);
  }

  isValid(address: string, port: number, hello: ClientHello): boolean {
    if (hello.cookie.length !== COOKIE_BYTES) return false;
    this.rotate();
    return [this.current, this.previous].some((secret) =>
      timingSafeEqual(cookieWith(secret, address, port, hello), hello.cookie),
    );
  }

  private rotate(): void {
    const elapsedMs = this.nowMs() - this.rotatedAtMs;
    if (elapsedMs < ROTATION_MS) return;
    this.previous = elapsedMs < 2 * ROTATION_MS ? this.current : newSecret();
    this.current = newSecret();
    this.rotatedAtMs = this.nowMs();
  }
}

function newSecret(): HmacKey {
  return new HmacKey(randomBytes(SECRET_BYTES));
}

/** Each part has a fixed or encoded length, so that no two different inputs have the same bytes. */
function cookieWith(secret: HmacKey, address: string, port: number, hello: ClientHello): Buffer {
  const { version, random, sessionId, cipherSuites } = hello;
  const rest = `${address} ${port} ${version} ${cipherSuites.join()} ${sessionId.length} `;
  return secret.digest(Buffer.from(rest), sessionId, random).subarray(0, COOKIE_BYTES);
}
