import { DownloadFailed, packageChanged, type PackageSource } from './sources.js';
import { Result } from './states.js';

/** Without a byte for so long the connection counts as lost. */
const silenceMs = 30_000;

const sha256Etag = /^"([0-9a-f]{64})"$/;

/** A package on a web server; a broken download continues with a Range (RFC 9110 §14). */
export class HttpSource implements PackageSource {
  private etag: string | undefined;
  private current: AbortController | undefined;

  constructor(private readonly url: string) {}

  get sha256(): string | undefined {
    return sha256Etag.exec(this.etag ?? '')?.[1];
  }

  async *read(offset: number): AsyncIterable<Buffer> {
    const aborter = (this.current = new AbortController());
    let timer = setTimeout(() => aborter.abort(), silenceMs);
    try {
      const response = await fetch(this.url, { headers: this.headers(offset), signal: aborter.signal });
      this.verify(response, offset);
      if (!response.body) throw new DownloadFailed(Result.invalidUri, 'an answer without a body');
      for await (const chunk of response.body) {
        clearTimeout(timer);
        yield Buffer.from(chunk);
        timer = setTimeout(() => aborter.abort(), silenceMs);
      }
    } finally {
      clearTimeout(timer);
      aborter.abort();
    }
  }

  async close(): Promise<void> {
    this.current?.abort();
  }

  private headers(offset: number): Record<string, string> {
    if (offset === 0) return {};
    return { range: `bytes=${offset}-`, ...(this.etag !== undefined && { 'if-range': this.etag }) };
  }

  private verify({ status, headers }: Response, offset: number): void {
    if (status >= 500) throw new Error(`HTTP ${status}`);
    if (status !== 200 && status !== 206) throw new DownloadFailed(Result.invalidUri, `HTTP ${status}`);
    const etag = headers.get('etag') ?? undefined;
    // 200 to a Range: it is another package now, or the server knows no ranges.
    if (offset > 0 && (status === 200 || (this.etag !== undefined && etag !== this.etag))) throw packageChanged();
    this.etag = etag;
  }
}
