import { type BlockValue, blockOffset, isWellFilled } from '../codec/block-value.js';
import { type BoundedTable } from '../memory/bounded-table.js';

const FIRST_CAPACITY_BYTES = 4_096;

/** A request body that is being received. */
export interface Upload {
  /** Grows by doubling: the size that a peer announces is never allocated in advance. */
  buffer: Buffer;
  length: number;
  contentFormat: number | undefined;
}

export interface UploadBlock {
  block: BlockValue;
  payload: Buffer;
  contentFormat: number | undefined;
  /** Size1: the size of the whole body as announced by the peer. */
  announcedBytes: number | undefined;
  /** Source address, or what counts as one with it; many devices may share it. */
  source: string;
}

export type UploadStep =
  { kind: 'continue' | 'incomplete' | 'too-large' | 'malformed' | 'no-room' } | { kind: 'complete'; payload: Buffer };

/**
 * Reassembles request bodies (Block1, RFC 7959 §2.5), by peer, resource and Request-Tag: each block may use a new token. An upload
 * that has begun is never evicted for a new one.
 */
export class UploadTable {
  constructor(
    private readonly uploads: BoundedTable<string, Upload>,
    private readonly bodyBytesMax: number,
  ) {}

  takeBlock(key: string, part: UploadBlock): UploadStep {
    const { block, payload } = part;
    if (!isWellFilled(block, payload.length)) return { kind: 'malformed' };
    const end = blockOffset(block) + payload.length;
    if (Math.max(end, part.announcedBytes ?? 0) > this.bodyBytesMax) {
      this.uploads.delete(key);
      return { kind: 'too-large' };
    }
    return block.num === 0 ? this.start(key, part) : this.proceed(key, part, end);
  }

  /** The first block may arrive at any time, because the peer may restart the upload. */
  private start(key: string, { block, payload, contentFormat, source }: UploadBlock): UploadStep {
    if (!block.more) {
      this.uploads.delete(key);
      return { kind: 'complete', payload };
    }
    const capacity = Math.min(this.bodyBytesMax, Math.max(FIRST_CAPACITY_BYTES, payload.length));
    if (!this.uploads.hasRoom(key, capacity, source)) return { kind: 'no-room' };
    const buffer = Buffer.alloc(capacity);
    const upload = { buffer, length: payload.copy(buffer), contentFormat };
    this.uploads.set(key, upload, capacity, source);
    return { kind: 'continue' };
  }

  private proceed(key: string, { block, payload, contentFormat, source }: UploadBlock, end: number): UploadStep {
    const upload = this.uploads.get(key);
    if (upload === undefined || upload.contentFormat !== contentFormat) return { kind: 'incomplete' };
    if (block.more && end === upload.length) return { kind: 'continue' };
    if (blockOffset(block) !== upload.length) return { kind: 'incomplete' };
    if (end > upload.buffer.length) {
      const capacity = Math.min(this.bodyBytesMax, Math.max(end, upload.buffer.length * 2));
      if (!this.uploads.hasRoom(key, capacity, source)) {
        this.uploads.delete(key);
        return { kind: 'no-room' };
      }
      upload.buffer = grown(upload, capacity);
    }
    payload.copy(upload.buffer, upload.length);
    upload.length = end;
    if (block.more) {
      this.uploads.set(key, upload, upload.buffer.length, source);
      return { kind: 'continue' };
    }
    this.uploads.delete(key);
    return { kind: 'complete', payload: upload.buffer.subarray(0, end) };
  }
}

function grown(upload: Upload, capacity: number): Buffer {
  const buffer = Buffer.alloc(capacity);
  upload.buffer.copy(buffer, 0, 0, upload.length);
  return buffer;
}
