/** Buckets grow by 2^(1/4): a quantile is at most 19 % too high. */
const perOctave = 4;
const bucketsMax = 80;

/** Latencies in buckets, so that quantiles can be read at any time without keeping each measurement. */
export class Latencies {
  private buckets = new Uint32Array(bucketsMax);
  private total = 0;

  get count(): number {
    return this.total;
  }

  record(ms: number): void {
    const bucket = Math.ceil(Math.log2(Math.max(1, ms)) * perOctave);
    this.buckets[Math.min(bucket, bucketsMax - 1)] = (this.buckets[Math.min(bucket, bucketsMax - 1)] ?? 0) + 1;
    this.total += 1;
  }

  /** In milliseconds, rounded up to a bucket; 0 without a measurement. */
  quantile(share: number): number {
    let left = share * this.total;
    const bucket = this.buckets.findIndex((count) => (left -= count) <= 0);
    return this.total === 0 ? 0 : Math.round(2 ** (bucket / perOctave));
  }
}
