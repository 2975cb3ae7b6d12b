import { notifiedBytesMax, notifiedMaxAgeMs, notifiedPathsMax } from './limits.js';

/** A notified value, for as long as it is fresh (RFC 7252 §5.6.1). */
export interface FreshValue {
  contentType: string;
  /** latin1: each character is a byte. */
  bytes: string;
  freshUntilMs: number;
}

/** The last notified value of each path. Only small values of few paths, because they live as long as the session. */
export class NotifiedValues {
  private byPath: Map<string, FreshValue> | undefined;

  keep(path: string, payload: Buffer, contentType: string, maxAgeSeconds: number, nowMs: number): void {
    if (maxAgeSeconds === 0 || payload.length > notifiedBytesMax) return void this.byPath?.delete(path);
    const freshUntilMs = nowMs + Math.min(maxAgeSeconds * 1000, notifiedMaxAgeMs);
    const byPath = (this.byPath ??= new Map<string, FreshValue>());
    if (byPath.size >= notifiedPathsMax && !byPath.has(path)) byPath.delete(byPath.keys().next().value as string);
    // Copied, because the payload is part of a larger buffer.
    byPath.set(path, { contentType, bytes: payload.toString('latin1'), freshUntilMs });
  }

  get(path: string, nowMs: number): FreshValue | undefined {
    const value = this.byPath?.get(path);
    return value && value.freshUntilMs > nowMs ? value : undefined;
  }

  /** The device may have changed (RFC 7252 §5.9.1). */
  clear(): void {
    this.byPath = undefined;
  }
}
