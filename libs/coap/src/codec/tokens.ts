import { randomFillSync, randomInt } from 'node:crypto';

/** Random bytes for all token sources: a simulator has an endpoint, and therefore a source, for each device. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Key of a token in maps, and its notation elsewhere: hex, which compares by value. */
export function tokenKey(token: Buffer): string {
  return token.toString('hex');
}

/**
 * Eight bytes: a sequence of four, so that tokens do not repeat while an exchange may last, and four random ones,
 * so that they cannot be guessed.
 */
export class TokenSource {
  private sequence = randomInt(2 ** 32);

  next(): Buffer {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const token = Buffer.alloc(8);
    this.sequence = (this.sequence + 1) >>> 0;
    token.writeUInt32BE(this.sequence, 0);
    pool.copy(token, 4, used, used + 4);
    used += 4;
    return token;
  }
}
