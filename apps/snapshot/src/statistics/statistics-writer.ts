import type { Batch } from '@lanyard/kafka';
import { CLOCK, type Clock, columnsOf } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Count, counted, sumUp } from './counts.js';
import { isCounted, type Position, positionBehind } from './positions.js';

// Position and counts in one statement: neither without the other. Another replica may have moved the position.
const addSql = `
  WITH moved AS (
    INSERT INTO snapshot.counted_positions AS p (topic, partition, next_offset, newest_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset, newest_ms = excluded.newest_ms
    WHERE p.next_offset = $5 AND p.newest_ms = $6 RETURNING 1),
  added AS (
    INSERT INTO snapshot.statistics AS s (account_id, step_seconds, from_at, ${counted.join(', ')})
    SELECT c.* FROM unnest($7::text[], $8::smallint[], $9::timestamptz[], ${counted.map((_, n) => `$${n + 10}::integer[]`).join(', ')}) c
    WHERE EXISTS (SELECT FROM moved)
    ON CONFLICT (account_id, step_seconds, from_at) DO UPDATE
    SET ${counted.map((what) => `${what} = s.${what} + excluded.${what}`).join(', ')})
  SELECT EXISTS (SELECT FROM moved) AS moved`;

const noColumns: unknown[][] = Array.from({ length: counted.length + 3 }, () => []);

/** Counts facts by account and time: each once, however often it is read. One statement per batch. */
@Injectable()
export class StatisticsWriter {
  /** By topic and partition; another replica may know better. */
  private readonly positions = new Map<string, Position>();

  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async count<V>(batch: Batch<V>, countOf: (fact: V) => Count): Promise<void> {
    const key = `${batch.topic} ${batch.partition}`;
    for (;;) {
      const position = this.positions.get(key);
      const messages = batch.messages.filter((message) => !isCounted(message, position));
      if (messages.length === 0) return;
      const next = positionBehind(messages, position);
      if (
        await this.add(
          batch,
          { position, next },
          messages.map(({ value }) => countOf(value)),
        )
      ) {
        this.positions.set(key, next);
        return;
      }
      await this.readPosition(key, batch);
    }
  }

  /** Returns false if the position is not the expected one. */
  private async add(
    { topic, partition }: Pick<Batch<unknown>, 'topic' | 'partition'>,
    { position, next }: { position: Position | undefined; next: Position },
    counts: readonly Count[],
  ): Promise<boolean> {
    const rows = sumUp(counts, this.clock.now()).map((sum) => [
      sum.accountId,
      sum.stepSeconds,
      new Date(sum.fromMs).toISOString(),
      ...counted.map((what) => sum[what]),
    ]);
    const [answer]: { moved: boolean }[] = await this.database.query(addSql, [
      topic,
      partition,
      String(next.nextOffset),
      next.newestMs,
      position ? String(position.nextOffset) : null,
      position?.newestMs ?? null,
      ...(rows.length > 0 ? columnsOf(rows) : noColumns),
    ]);
    return answer?.moved ?? false;
  }

  private async readPosition(
    key: string,
    { topic, partition }: Pick<Batch<unknown>, 'topic' | 'partition'>,
  ): Promise<void> {
    const [row]: { next_offset: string; newest_ms: string }[] = await this.database.query(
      'SELECT next_offset, newest_ms FROM snapshot.counted_positions WHERE topic = $1 AND partition = $2',
      [topic, partition],
    );
    if (row) this.positions.set(key, { nextOffset: BigInt(row.next_offset), newestMs: Number(row.newest_ms) });
    else this.positions.delete(key);
  }
}
