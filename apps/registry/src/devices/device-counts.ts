import { CLOCK, type Clock, FairQueue, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Part of a response of the gateway, which has the OpenAPI schema: `DeviceCounts`. */
export interface DeviceCounts {
  total: number;
  by_state: Record<string, number>;
  by_lifecycle_status: Record<string, number>;
}

interface Row {
  state: string;
  lifecycle_status: string;
  n: number;
}

// Reads all devices of the account.
const countsSql = `
  SELECT state, lifecycle_status, count(*)::int AS n FROM registry.devices WHERE account_id = $1 GROUP BY 1, 2`;

/** Clients that show counts poll them: all clients of an account get the same counts for this long. */
const reusedMs = 5_000;
const accountsMax = 10_000;

const sumBy = (rows: readonly Row[], name: 'state' | 'lifecycle_status'): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[row[name]] = (sums[row[name]] ?? 0) + row.n;
  return sums;
};

/** How many devices of an account are in which state. */
@Injectable()
export class DeviceCounter {
  private readonly recent = new Map<string, { atMs: number; counts: Promise<DeviceCounts> }>();

  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  countsOf(accountId: string): Promise<DeviceCounts> {
    const known = this.recent.get(accountId);
    const nowMs = this.clock.now();
    // The absolute difference, so that no counts are reused for longer when the clock is set back.
    if (known && Math.abs(nowMs - known.atMs) < reusedMs) return known.counts;
    const counts = FairQueue.at(this.database).run(accountId, () => this.count(accountId));
    setBounded(this.recent, accountId, { atMs: nowMs, counts }, accountsMax);
    counts.catch(() => this.recent.delete(accountId));
    return counts;
  }

  private async count(accountId: string): Promise<DeviceCounts> {
    const rows: Row[] = await this.database.query(countsSql, [accountId]);
    return {
      total: rows.reduce((sum, { n }) => sum + n, 0),
      by_state: sumBy(rows, 'state'),
      by_lifecycle_status: sumBy(rows, 'lifecycle_status'),
    };
  }
}
