import { randomFillSync, randomInt } from 'node:crypto';

const RANDOM_POOL_BYTES = 4_096;

/** Key of a token in maps: as text it is compact and compares by value. */
export function tokenKey(token: Buffer): string {
  return token.toString('latin1');
}

/**
 * Eight bytes: a sequence of four, so that no two are alike for as long as anybody could wait, and four random ones,
 * so that nobody can guess them.
 */
export class TokenSource {
  private sequence = randomInt(2 ** 32);
  private readonly pool = Buffer.alloc(RANDOM_POOL_BYTES);
  private used = RANDOM_POOL_BYTES;

  next(): Buffer {
    if (this.used === RANDOM_POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const token = Buffer.alloc(8);
    this.sequence = (this.sequence + 1) >>> 0;
    token.writeUInt32BE(this.sequence, 0);
    this.pool.copy(token, 4, this.used, this.used + 4);
    this.used += 4;
    return token;
  }
}
