import { sha256, SHA256_BYTES, writeSha256 } from './sha256.js';

const BLOCK_BYTES = 64;
const SCRATCH_BYTES = 1_024;

/** Filled and consumed within one call. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const outerScratch = Buffer.allocUnsafeSlow(BLOCK_BYTES + SHA256_BYTES);

/**
 * HMAC-SHA256 with one key (RFC 2104), as two one-shot hashes. `createHmac` takes three times as long, and creates an object outside
 * the heap that the garbage collector must visit and free; a handshake needs fifteen digests.
 */
export class HmacKey {
  /** The key combined with the inner and the outer padding (RFC 2104 §2). Private fields do not appear in logs. */
  readonly #inner = Buffer.allocUnsafe(BLOCK_BYTES).fill(0x36);
  readonly #outer = Buffer.allocUnsafe(BLOCK_BYTES).fill(0x5c);

  constructor(given: Buffer) {
    const key = given.length <= BLOCK_BYTES ? given : sha256(given);
    for (let at = 0; at < key.length; at += 1) {
      this.#inner[at]! ^= key[at]!;
      this.#outer[at]! ^= key[at]!;
    }
  }

  /** Writes as much of the digest as `into` has room for. @returns How many bytes that is. */
  digestInto(into: Buffer, at: number, ...parts: readonly Buffer[]): number {
    let bytes = BLOCK_BYTES;
    for (const part of parts) bytes += part.length;
    const content = bytes <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafeSlow(bytes);
    let end = this.#inner.copy(content);
    for (const part of parts) end += part.copy(content, end);
    this.#outer.copy(outerScratch);
    writeSha256(outerScratch, BLOCK_BYTES, content.subarray(0, end));
    return writeSha256(into, at, outerScratch);
  }

  digest(...parts: readonly Buffer[]): Buffer {
    const digest = Buffer.allocUnsafe(SHA256_BYTES);
    this.digestInto(digest, 0, ...parts);
    return digest;
  }
}
