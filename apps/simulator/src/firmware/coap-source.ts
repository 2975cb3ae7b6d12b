import { Code, formatCode, type OutgoingRequest, type ReceivedResponse } from '@lanyard/coap';
import { type RetransmissionSettings } from '../settings/group.js';
import { DownloadFailed, packageChanged, type PackageSource } from './sources.js';
import { Result } from './states.js';

const blockBytes = 1_024;

/** The server of a package, with the connection over which the device reaches it. */
export interface PackageServer {
  /** Connects, unless it is connected. */
  open(): Promise<void>;
  request(request: OutgoingRequest): Promise<ReceivedResponse>;
  close(): Promise<void>;
}

/** Throws DownloadFailed for a percent sign that begins no character. */
const segments = (path: string): string[] => {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new DownloadFailed(Result.invalidUri, 'a path that cannot be decoded');
  }
};

/** A package on a CoAP server, fetched block by block (RFC 7959 §2.4). */
export class CoapSource implements PackageSource {
  readonly sha256 = undefined;
  private etag: Buffer | undefined;

  constructor(
    private readonly url: URL,
    private readonly retransmission: RetransmissionSettings,
    private readonly server: PackageServer,
  ) {}

  async *read(from: number): AsyncIterable<Buffer> {
    await this.server.open();
    let bytes = blockBytes;
    // A block begins at a multiple of its size, so the bytes that were received before are cut off.
    let offset = from - (from % bytes);
    for (;;) {
      const response = await this.server.request(this.requestFor(offset, bytes));
      this.verify(response, offset);
      const { payload, block } = response;
      const newBytes = payload.subarray(Math.max(0, from - offset));
      if (newBytes.length > 0) yield newBytes;
      if (!block?.more) return;
      offset += payload.length;
      bytes = block.bytes;
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private requestFor(offset: number, bytes: number): OutgoingRequest {
    const { ackTimeoutMs, retransmissions } = this.retransmission;
    const query = [...this.url.searchParams].map(([name, value]) => (value === '' ? name : `${name}=${value}`));
    return {
      method: Code.GET,
      path: segments(this.url.pathname),
      query,
      block: { offset, bytes },
      ackTimeoutMs,
      maxRetransmit: retransmissions,
    };
  }

  private verify({ code, etag, block }: ReceivedResponse, offset: number): void {
    if (code >> 5 === 5) throw new Error(formatCode(code));
    if (code !== Code.Content) throw new DownloadFailed(Result.invalidUri, formatCode(code));
    if (offset > 0 && (block?.offset !== offset || !sameEtag(this.etag, etag))) throw packageChanged();
    this.etag = etag;
  }
}

const sameEtag = (before: Buffer | undefined, now: Buffer | undefined): boolean =>
  before === undefined || now === undefined ? before === now : before.equals(now);
