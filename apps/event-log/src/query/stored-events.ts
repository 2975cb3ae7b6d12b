import { FairQueue, type Filter } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PageNotFound } from '../errors.js';
import { eventRecord } from './device-event.js';
import { conditionsOf, type EntryOwner } from './list-events.js';

/** An entry, and its record as JSON without line breaks. */
export interface StoredEvent {
  id: string;
  record: string;
}

/** A position in the log: after an entry. */
export interface Place {
  position: string;
  /** The position of the entry; `beginning` is before all entries. */
  id: string;
}

export interface StoredPage {
  events: StoredEvent[];
  /** Where to continue: everything up to it was read. */
  place: Place;
  isFull: boolean;
}

const idPattern = /^[0-9a-f]{32}$/;

/** Used instead of an entry's id: before all entries. */
const beginning = '0';

/** Reads the log of one account in the order of storage, regardless of the time of the entries. */
@Injectable()
export class StoredEvents {
  constructor(private readonly database: DataSource) {}

  async last(accountId: string): Promise<Place> {
    const [row]: Place[] = await this.database.query(
      'SELECT position, id FROM event_log.device_events WHERE account_id = $1 ORDER BY position DESC LIMIT 1',
      [accountId],
    );
    return row ?? { position: '0', id: beginning };
  }

  /**
   * The position after an entry, or the beginning. An entry may have expired: all younger ones then follow, in the
   * order in which they were stored. Throws PageNotFound for an invalid id.
   */
  async placeOf(accountId: string, id: string): Promise<Place> {
    if (id === beginning) return { position: '0', id };
    if (!idPattern.test(id)) throw new PageNotFound();
    const [row]: Place[] = await this.database.query(
      'SELECT position, id FROM event_log.device_events WHERE id = $1 AND account_id = $2',
      [id, accountId],
    );
    if (row) return row;
    const [younger]: { position: string }[] = await this.database.query(
      `SELECT position - 1 AS position FROM event_log.device_events
       WHERE account_id = $1 AND id > $2 ORDER BY device_events.position LIMIT 1`,
      [accountId, id],
    );
    return younger ? { position: younger.position, id } : this.last(accountId);
  }

  /** Waits for its turn at the database, as lists do. */
  behind(owner: EntryOwner, from: Place, filters: readonly Filter[], limit: number): Promise<StoredPage> {
    return FairQueue.at(this.database).run(owner.accountId, () => this.read(owner, from, filters, limit));
  }

  private async read(owner: EntryOwner, from: Place, filters: readonly Filter[], limit: number): Promise<StoredPage> {
    const last = await this.last(owner.accountId);
    if (BigInt(last.position) <= BigInt(from.position)) return { events: [], place: from, isFull: false };
    const parameters: unknown[] = [];
    const conditions = conditionsOf(owner, filters, parameters);
    const lower = parameters.push(from.position);
    const upper = parameters.push(last.position);
    const rows: (StoredEvent & Place)[] = await this.database.query(
      `SELECT id, ${eventRecord} AS record, position FROM event_log.device_events
       WHERE ${conditions.join(' AND ')} AND position > $${lower} AND position <= $${upper} ORDER BY position LIMIT ${limit}`,
      parameters,
    );
    const isFull = rows.length === limit;
    return { events: rows, place: (isFull && rows.at(-1)) || last, isFull };
  }
}
