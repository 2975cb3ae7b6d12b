import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes that the peer sees, as in a hello or an id. They come from a pool, because each call of node:crypto
 * takes several microseconds, however few bytes it returns. Never use them for a key, because they are in memory
 * for some time before they are used.
 * @param bytes At most 4,096.
 */
export function publicRandom(bytes: number): Buffer {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const random = Buffer.allocUnsafe(bytes);
  used += pool.copy(random, 0, used, used + bytes);
  return random;
}
