import { type BoundedTable } from '../memory/bounded-table.js';
import { type CoapClock } from '../timing/clock.js';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token bucket per source address, for datagrams from peers without state and for new connections. */
export class PeerRateLimiter {
  constructor(
    private readonly ratePerSecond: number,
    private readonly burst: number,
    private readonly buckets: BoundedTable<string, Bucket>,
    private readonly clock: CoapClock,
  ) {}

  admits(address: string): boolean {
    const now = this.clock.nowMs();
    const bucket = this.buckets.get(address) ?? this.newBucket(address, now);
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.atMs) / 1_000) * this.ratePerSecond);
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  private newBucket(address: string, now: number): Bucket {
    const bucket: Bucket = { tokens: this.burst, atMs: now };
    this.buckets.set(address, bucket);
    return bucket;
  }
}
