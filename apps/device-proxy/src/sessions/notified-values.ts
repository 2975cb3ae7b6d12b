import { notifiedBytesMax, notifiedMaxAgeMs, notifiedPathsMax } from './limits.js';

/** A notified value, for as long as it is fresh (RFC 7252 §5.6.1). */
export interface FreshValue {
  contentType: string;
  /** latin1: each character is a byte. */
  bytes: string;
  freshUntilMs: number;
}

interface Kept extends FreshValue {
  /** How long it was fresh when it arrived. */
  freshMs: number;
}

/** The last notified value of each path. Only small values of few paths, because they live as long as the session. */
export class NotifiedValues {
  private byPath: Map<string, Kept> | undefined;

  /** Replaces the value of the path. A value that is too large, or is never fresh, only removes the previous one. */
  keep(path: string, payload: Buffer, contentType: string, maxAgeSeconds: number, nowMs: number): void {
    if (maxAgeSeconds === 0 || payload.length > notifiedBytesMax) return void this.byPath?.delete(path);
    const freshMs = Math.min(maxAgeSeconds * 1000, notifiedMaxAgeMs);
    const byPath = (this.byPath ??= new Map<string, Kept>());
    if (byPath.size >= notifiedPathsMax && !byPath.has(path)) byPath.delete(byPath.keys().next().value as string);
    // Copied, because the payload is part of a larger buffer.
    byPath.set(path, { contentType, bytes: payload.toString('latin1'), freshUntilMs: nowMs + freshMs, freshMs });
  }

  get(path: string, nowMs: number): FreshValue | undefined {
    const kept = this.byPath?.get(path);
    if (!kept) return undefined;
    const { contentType, bytes, freshUntilMs, freshMs } = kept;
    const leftMs = freshUntilMs - nowMs;
    // If more time is left than there was at first, the clock was set back: then the value does not count as fresh.
    return leftMs > 0 && leftMs <= freshMs ? { contentType, bytes, freshUntilMs } : undefined;
  }

  /** The device may have changed (RFC 7252 §5.9.1). */
  clear(): void {
    this.byPath = undefined;
  }
}
