import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes that the peer sees, as in a hello or an id, and never a key: they wait in memory. Each call of node:crypto takes
 * several microseconds, however few bytes it is for. @param bytes At most 4,096.
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
