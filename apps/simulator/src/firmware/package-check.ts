import { createHash, type Hash } from 'node:crypto';

/** First line of a package with a header: `SIMFW <version> <SHA-256 of what follows, in hex>`. */
const header = /^SIMFW (\S{1,64}) ([0-9a-f]{64})\n/;
const headerBytesMax = 200;
const magic = 'SIMFW ';

export type Verdict = { isIntact: true; version: string } | { isIntact: false };

/**
 * Verifies a package as it arrives, without keeping it: by its own header, if it has one, and by the SHA-256 that its
 * source gave. Without either, there is nothing to compare the package with.
 */
export class PackageCheck {
  private readonly whole: Hash = createHash('sha256');
  private content: Hash | undefined;
  /** The bytes that may be the header, until the header is complete. */
  private head: Buffer | undefined = Buffer.alloc(0);
  private named: { version: string; sha256: string } | undefined;
  private length = 0;

  get bytes(): number {
    return this.length;
  }

  add(bytes: Buffer): void {
    this.length += bytes.length;
    this.whole.update(bytes);
    if (this.head) this.readHead(Buffer.concat([this.head, bytes]));
    else this.content?.update(bytes);
  }

  /** @param sha256 of the whole package in hex, if it is known */
  verdict(sha256?: string): Verdict {
    const digest = this.whole.digest('hex');
    const damaged = this.named && this.content?.digest('hex') !== this.named.sha256;
    if (damaged || this.isCutShort() || (sha256 !== undefined && sha256 !== digest)) return { isIntact: false };
    return { isIntact: true, version: this.named?.version ?? digest.slice(0, 12) };
  }

  /** Whether the package ends within its header. */
  private isCutShort(): boolean {
    return this.head !== undefined && this.head.length > 0 && this.head.toString('latin1').startsWith(magic);
  }

  private readHead(head: Buffer): void {
    this.head = head;
    const text = head.subarray(0, headerBytesMax).toString('latin1');
    if (!text.startsWith(magic.slice(0, text.length))) this.head = undefined;
    const [line, version, sha256] = header.exec(text) ?? [];
    if (line !== undefined && version !== undefined && sha256 !== undefined) {
      this.named = { version, sha256 };
      this.content = createHash('sha256').update(head.subarray(line.length));
    }
    if (this.named || head.length >= headerBytesMax) this.head = undefined;
  }
}
