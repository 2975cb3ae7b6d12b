import { formatTimestamp, PreparedReads } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { counted, type Counted, noCounts } from './counts.js';

/** From `fromMs` (inclusive) to `toMs` (exclusive), both at multiples of the step. */
export interface StatisticsQuery {
  stepSeconds: number;
  fromMs: number;
  toMs: number;
}

/** This service's part of a response of the gateway, which has the OpenAPI schema. */
export interface StatisticsPart {
  step_seconds: number;
  from: string;
  to: string;
  steps: (Record<Counted, number> & { from: string })[];
}

const stepsSql = `
  SELECT (EXTRACT(epoch FROM from_at) * 1000)::float8 AS from_ms, ${counted.join(', ')} FROM snapshot.statistics
  WHERE account_id = $1 AND step_seconds = $2 AND from_at >= $3 AND from_at < $4`;

@Injectable()
export class StatisticsReader {
  private readonly prepared: PreparedReads;

  constructor(database: DataSource) {
    this.prepared = new PreparedReads(database);
  }

  /** Every step of the range, oldest first. */
  async read(accountId: string, { stepSeconds, fromMs, toMs }: StatisticsQuery): Promise<StatisticsPart> {
    const [from, to] = [fromMs, toMs].map((ms) => formatTimestamp(ms)) as [string, string];
    const rows = await this.prepared.rows<Record<Counted, number> & { from_ms: number }>(stepsSql, [
      accountId,
      stepSeconds,
      from,
      to,
    ]);
    const byTime = new Map(rows.map(({ from_ms, ...counts }) => [from_ms, counts]));
    const steps = Array.from({ length: (toMs - fromMs) / (stepSeconds * 1_000) }, (_, n) => {
      const ms = fromMs + n * stepSeconds * 1_000;
      return { from: formatTimestamp(ms), ...(byTime.get(ms) ?? noCounts) };
    });
    return { step_seconds: stepSeconds, from, to, steps };
  }
}
