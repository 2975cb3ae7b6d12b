import { SHA256_BYTES, writeSha256 } from './sha256.js';

const BLOCK_BYTES = 64;
const SCRATCH_BYTES = 1_024;

/** Filled and consumed within one call. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const outerScratch = Buffer.allocUnsafeSlow(BLOCK_BYTES + SHA256_BYTES);

/**
 * HMAC-SHA256 with one key (RFC 2104), as two one-shot hashes. `createHmac` takes three times as long, and leaves an object
 * outside the heap that the garbage collection has to visit and to free: a handshake needs fifteen digests.
 */
export class HmacKey {
  /** The key under each padding; hidden from logs. */
  readonly #inner = Buffer.alloc(BLOCK_BYTES);
  readonly #outer = Buffer.alloc(BLOCK_BYTES);

  constructor(key: Buffer) {
    if (key.length <= BLOCK_BYTES) key.copy(this.#inner);
    else writeSha256(this.#inner, 0, key);
    for (let at = 0; at < BLOCK_BYTES; at += 1) {
      const byte = this.#inner[at]!;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
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
    const digest = Buffer.allocUnsafeSlow(SHA256_BYTES);
    this.digestInto(digest, 0, ...parts);
    return digest;
  }
}
