import { DownloadFailed, packageChanged, type PackageSource } from './sources.js';
import { Result } from './states.js';

/** A connection counts as lost when no byte has arrived for this long. */
const silenceMs = 30_000;

/** Matches the errors that Node and OpenSSL report for untrusted certificates (documentation of node:tls, X509 certificate error codes). */
const untrusted = /CERT|CRL|SIGNATURE|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/;

const codeOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : '';
};

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
      const response = await this.request(offset, aborter.signal);
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

  /** A server that fails authentication is not asked again. */
  private async request(offset: number, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(this.url, { headers: this.headers(offset), signal });
    } catch (error) {
      const code = codeOf(error);
      if (untrusted.test(code)) throw new DownloadFailed(Result.invalidUri, `the certificate of the server: ${code}`);
      throw error;
    }
  }

  private headers(offset: number): Record<string, string> {
    if (offset === 0) return {};
    return { range: `bytes=${offset}-`, ...(this.etag !== undefined && { 'if-range': this.etag }) };
  }

  private verify({ status, headers }: Response, offset: number): void {
    if (status >= 500) throw new Error(`HTTP ${status}`);
    if (status !== 200 && status !== 206) throw new DownloadFailed(Result.invalidUri, `HTTP ${status}`);
    const etag = headers.get('etag') ?? undefined;
    // A 200 in answer to a Range: the package has changed, or the server does not support ranges.
    if (offset > 0 && (status === 200 || (this.etag !== undefined && etag !== this.etag))) throw packageChanged();
    this.etag = etag;
  }
}
