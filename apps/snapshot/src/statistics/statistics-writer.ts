import { type Batch, storeBatch } from '@lanyard/kafka';
import { CLOCK, type Clock, columnsOf, PreparedStatement, WriteBatcher } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Count, counted, sumByStep } from './counts.js';
import { isCounted, type Position, positionAfter } from './positions.js';

interface Partition {
  topic: string;
  partition: number;
}

/** Facts of one partition that are to be counted. */
interface CountedBatch extends Partition {
  messages: readonly { offset: bigint; timestampMs: number; count: Count }[];
}

/** The change of a partition's position, and the counts of the messages between the two positions. */
interface Move extends Partition {
  /** undefined if this replica knows no position of the partition. */
  from: Position | undefined;
  to: Position;
  counts: Count[];
}

const unnestedCounts = counted.map((_, n) => `$${n + 11}::integer[]`).join(', ');

// Positions and counts change in one statement, so that neither is stored without the other. If a stored position is
// not the known one, because another replica has moved it, the counts of that batch are left out.
const adding = new PreparedStatement<Partition>(`
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) WITH ORDINALITY
      AS g (topic, partition, next_offset, newest_ms, known_offset, known_ms, move)),
  moved AS (
    INSERT INTO snapshot.counted_positions AS p (topic, partition, next_offset, newest_ms)
    SELECT topic, partition, next_offset, newest_ms FROM given ORDER BY topic, partition
    ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset, newest_ms = excluded.newest_ms
    WHERE EXISTS (SELECT FROM given g
      WHERE (g.topic, g.partition, g.known_offset, g.known_ms) = (p.topic, p.partition, p.next_offset, p.newest_ms))
    RETURNING topic, partition),
  added AS (
    INSERT INTO snapshot.statistics AS s (account_id, step_seconds, from_at, ${counted.join(', ')})
    SELECT c.account_id, c.step_seconds, c.from_at, ${counted.map((what) => `sum(c.${what})::integer`).join(', ')}
    FROM unnest($7::bigint[], $8::text[], $9::smallint[], $10::timestamptz[], ${unnestedCounts})
      AS c (move, account_id, step_seconds, from_at, ${counted.join(', ')})
    JOIN given USING (move) JOIN moved USING (topic, partition)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (account_id, step_seconds, from_at) DO UPDATE
    SET ${counted.map((what) => `${what} = s.${what} + excluded.${what}`).join(', ')})
  SELECT topic, partition FROM moved`);

/** The parameters from $7 on if there is nothing to add, for example because all counts are too old. */
const noColumns: unknown[][] = Array.from({ length: counted.length + 4 }, () => []);

const keyOf = ({ topic, partition }: Partition): string => `${topic} ${partition}`;

/**
 * Counts facts by account and time: each fact once, however often it is read. The rows of an account are the same for all
 * partitions, so the counts of batches that arrive at the same time are written with one statement.
 */
@Injectable()
export class StatisticsWriter {
  /** By topic and partition; another replica may know later ones. */
  private readonly positions = new Map<string, Position>();
  private readonly writes = new WriteBatcher<CountedBatch>(
    (batches) => this.addTogether(batches),
    (batch) => this.addAlone(batch),
  );

  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws PoisonMessage for a fact whose time does not exist, or whose number is too large for its column. */
  count<V>(batch: Batch<V>, countOf: (fact: V) => Count): Promise<void> {
    const { topic, partition } = batch;
    return storeBatch(
      batch,
      (fact, { offset, timestampMs }) => [{ offset, timestampMs, count: countOf(fact) }],
      (messages) => this.writes.write({ topic, partition, messages }),
    );
  }

  private async addTogether(batches: readonly CountedBatch[]): Promise<ReadonlySet<CountedBatch>> {
    // After a rebalance there may be two batches of a partition. The earlier one is left to `addAlone`.
    const latest = new Map(batches.map((batch) => [keyOf(batch), batch]));
    const [counted, uncounted] = [new Set<CountedBatch>(), new Map<string, CountedBatch>()];
    const moves: Move[] = [];
    for (const [key, batch] of latest) {
      const move = this.moveOf(batch);
      if (move) {
        moves.push(move);
        uncounted.set(key, batch);
      } else counted.add(batch);
    }
    for (const key of await this.add(moves)) counted.add(uncounted.get(key) as CountedBatch);
    return counted;
  }

  private async addAlone(batch: CountedBatch): Promise<void> {
    for (;;) {
      const move = this.moveOf(batch);
      if (!move || (await this.add([move])).length > 0) return;
      await this.readPosition(batch);
    }
  }

  /** undefined if the whole batch is counted already. */
  private moveOf({ topic, partition, messages }: CountedBatch): Move | undefined {
    const from = this.positions.get(keyOf({ topic, partition }));
    const uncounted = messages.filter((message) => !isCounted(message, from));
    if (uncounted.length === 0) return undefined;
    return { topic, partition, from, to: positionAfter(uncounted, from), counts: uncounted.map(({ count }) => count) };
  }

  /** Returns the keys of the partitions whose position was the expected one. */
  private async add(moves: readonly Move[]): Promise<string[]> {
    if (moves.length === 0) return [];
    const positions = moves.map(({ topic, partition, from, to }) => [
      topic,
      partition,
      String(to.nextOffset),
      to.newestMs,
      from ? String(from.nextOffset) : null,
      from?.newestMs ?? null,
    ]);
    const nowMs = this.clock.now();
    const rows = moves.flatMap(({ counts }, move) =>
      sumByStep(counts, nowMs).map((sum) => [
        // As WITH ORDINALITY numbers them.
        move + 1,
        sum.accountId,
        sum.stepSeconds,
        new Date(sum.fromMs).toISOString(),
        ...counted.map((what) => sum[what]),
      ]),
    );
    const parameters = [...columnsOf(positions), ...(rows.length > 0 ? columnsOf(rows) : noColumns)];
    const moved = (await adding.run(this.database.manager, parameters)).map(keyOf);
    const reached = new Map(moves.map((move) => [keyOf(move), move.to]));
    for (const key of moved) this.positions.set(key, reached.get(key) as Position);
    return moved;
  }

  private async readPosition({ topic, partition }: Partition): Promise<void> {
    const [row]: { next_offset: string; newest_ms: string }[] = await this.database.query(
      'SELECT next_offset, newest_ms FROM snapshot.counted_positions WHERE topic = $1 AND partition = $2',
      [topic, partition],
    );
    const key = keyOf({ topic, partition });
    if (row) this.positions.set(key, { nextOffset: BigInt(row.next_offset), newestMs: Number(row.newest_ms) });
    else this.positions.delete(key);
  }
}
