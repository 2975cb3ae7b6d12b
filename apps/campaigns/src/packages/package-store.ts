import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BodyTooLarge } from '@lanyard/service';
import type { ByteRange } from './byte-range.js';

export interface StoredPackage {
  size: number;
  /** SHA-256 in hex. */
  checksum: string;
}

/** The bytes of packages, named by their ids: a package is there as a whole, durably, or not at all. */
export abstract class PackageStore {
  /** Stores the bytes as they arrive; throws BodyTooLarge. Stores nothing if it throws or if the body is interrupted. */
  abstract store(id: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage>;

  /** Throws StorageUnavailable. A later failure destroys the stream. */
  abstract read(id: string, range: ByteRange): Promise<Readable>;

  /** Removes the package, or what an interrupted upload left of it. */
  abstract remove(id: string): Promise<void>;

  /** Ids of packages and unfinished uploads that were last changed before the time `ms`, a page at a time. */
  abstract idsBefore(ms: number): AsyncIterable<string[]>;
}

/** Counts and hashes the bytes of a body while they pass through, and limits their number. */
export class BodyMeter {
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(private readonly bytesMax: number) {}

  /** Throws BodyTooLarge instead of yielding bytes beyond the limit. */
  async *measured(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.size += chunk.length;
      if (this.size > this.bytesMax) throw new BodyTooLarge(this.bytesMax);
      this.hash.update(chunk);
      yield chunk;
    }
  }

  /** Size and checksum of the whole body. May be called once. */
  result(): StoredPackage {
    return { size: this.size, checksum: this.hash.digest('hex') };
  }
}
