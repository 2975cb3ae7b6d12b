import { FairTurns, type Filter } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { PageNotFound } from '../errors.js';
import { eventRecord } from './device-event.js';
import { conditionsOf } from './list-events.js';

/** An entry, and its record as JSON without line breaks. */
export interface StoredEvent {
  id: string;
  record: string;
}

export interface StoredPage {
  events: StoredEvent[];
  /** Where to go on: all up to here was looked at. */
  position: string;
  isFull: boolean;
}

/** Reads the log of one account in the order in which it was stored, whatever time the entries have. */
export class StoredEvents {
  constructor(private readonly database: DataSource) {}

  /** Of the newest entry; `0` for an empty log. */
  async last(accountId: string): Promise<string> {
    const [row]: { position: string }[] = await this.database.query(
      'SELECT coalesce(max(position), 0) AS position FROM event_log.device_events WHERE account_id = $1',
      [accountId],
    );
    return row?.position ?? '0';
  }

  /** Throws PageNotFound for the id of an entry that the account does not have. */
  async of(accountId: string, id: string): Promise<string> {
    const [row]: { position: string }[] = await this.database.query(
      'SELECT position FROM event_log.device_events WHERE id = $1 AND account_id = $2',
      [id, accountId],
    );
    if (!row) throw new PageNotFound();
    return row.position;
  }

  /** Waits for its turn at the database, as lists do. */
  behind(accountId: string, position: string, filters: readonly Filter[], limit: number): Promise<StoredPage> {
    return FairTurns.at(this.database).run(accountId, () => this.read(accountId, position, filters, limit));
  }

  private async read(
    accountId: string,
    position: string,
    filters: readonly Filter[],
    limit: number,
  ): Promise<StoredPage> {
    const last = await this.last(accountId);
    if (BigInt(last) <= BigInt(position)) return { events: [], position, isFull: false };
    const parameters: unknown[] = [];
    const conditions = conditionsOf(accountId, filters, parameters);
    const from = parameters.push(position);
    const to = parameters.push(last);
    const rows: (StoredEvent & { position: string })[] = await this.database.query(
      `SELECT id, ${eventRecord} AS record, position FROM event_log.device_events
       WHERE ${conditions.join(' AND ')} AND position > $${from} AND position <= $${to} ORDER BY position LIMIT ${limit}`,
      parameters,
    );
    const isFull = rows.length === limit;
    const end = isFull ? (rows.at(-1)?.position ?? last) : last;
    return { events: rows, position: end, isFull };
  }
}
