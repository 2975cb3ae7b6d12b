import { FairQueue, type Filter, PageNotFound } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { selectPage } from './device-event.js';
import { conditionsOf, type EntryOwner } from './list-events.js';

/** An entry, and its record as JSON without line breaks. */
export interface StoredEvent {
  id: string;
  record: string;
}

/** A place in the log: after an entry, or at the beginning. */
export interface Place {
  /** The number of the entry in the order of storage. */
  position: string;
  /** The id of the entry; `beginning` is before all entries. */
  id: string;
}

export interface StoredPage {
  events: StoredEvent[];
  /** Where to continue: everything up to it was read. */
  place: Place;
  /** Whether there are later entries, which were not read. */
  hasMore: boolean;
}

/** Used instead of an entry's id: before all entries. */
const beginning = '0';

/** Names a place: the id of an entry, or the beginning. */
export const placePattern = /^(?:0|[0-9a-f]{32})$/;

/**
 * How many entries of the account one statement looks at. With a filter that few entries match, it would otherwise read
 * all of a large log, and be cancelled each time.
 */
const entriesReadMax = 20_000;

/** Reads the log of one account in the order of storage, regardless of the time of the entries. */
@Injectable()
export class StoredEvents {
  constructor(private readonly database: DataSource) {}

  /** The place after the newest entry of the account; the beginning if it has none. */
  async lastPlace(accountId: string): Promise<Place> {
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
    if (!placePattern.test(id)) throw new PageNotFound();
    if (id === beginning) return { position: '0', id };
    const [row]: Place[] = await this.database.query(
      'SELECT position, id FROM event_log.device_events WHERE id = $1 AND account_id = $2',
      [id, accountId],
    );
    return row ?? FairQueue.at(this.database).run(accountId, () => this.placeBeforeYounger(accountId, id));
  }

  /** Reads the whole log of the account if there is no younger entry, so it waits for its turn. */
  private async placeBeforeYounger(accountId: string, id: string): Promise<Place> {
    const [younger]: { position: string }[] = await this.database.query(
      `SELECT position - 1 AS position FROM event_log.device_events
       WHERE account_id = $1 AND id > $2 ORDER BY device_events.position LIMIT 1`,
      [accountId, id],
    );
    return younger ? { position: younger.position, id } : this.lastPlace(accountId);
  }

  /** At most `limit` entries after a place, fewer if they are large. Waits for its turn at the database, as lists do. */
  pageAfter(owner: EntryOwner, from: Place, filters: readonly Filter[], limit: number): Promise<StoredPage> {
    return FairQueue.at(this.database).run(owner.accountId, () => this.read(owner, from, filters, limit));
  }

  private async read(owner: EntryOwner, from: Place, filters: readonly Filter[], limit: number): Promise<StoredPage> {
    const isNarrowed = filters.length > 0 || owner.deviceGroups !== undefined;
    const end = await this.endOfRead(owner.accountId, from, isNarrowed);
    // Also if the entry of the place has expired: with its id, a client would get the whole log again.
    if (BigInt(end.position) <= BigInt(from.position)) return { events: [], place: end, hasMore: false };
    const parameters: unknown[] = [];
    const conditions = conditionsOf(owner, filters, parameters);
    const lower = parameters.push(from.position);
    const upper = parameters.push(end.position);
    const where = [...conditions, `position > $${lower} AND position <= $${upper}`].join(' AND ');
    const rows: (Place & { record: string | null })[] = await this.database.query(
      selectPage({ where, order: 'position', count: limit }, ', id, position'),
      parameters,
    );
    const events = rows.flatMap(({ record, ...place }) => (record === null ? [] : { ...place, record }));
    const isFull = rows.length === limit || events.length < rows.length;
    return { events, place: (isFull && events.at(-1)) || end, hasMore: isFull || !end.isLast };
  }

  /**
   * The entry at which a read ends: the newest one. If the read is narrowed, and more than `entriesReadMax` entries
   * follow, it is the last of as many. If none follows, it may be before the place: the entry of the place has expired.
   */
  private async endOfRead(accountId: string, from: Place, isNarrowed: boolean): Promise<Place & { isLast: boolean }> {
    const last = await this.lastPlace(accountId);
    // Counts entries, in the index, because most positions may belong to other accounts, or to no entry.
    const end =
      isNarrowed &&
      BigInt(last.position) - BigInt(from.position) > BigInt(entriesReadMax) &&
      (await this.entryAfter(accountId, from, entriesReadMax));
    return end ? { ...end, isLast: false } : { ...last, isLast: true };
  }

  /** The place after the next `count` entries; undefined if there are fewer. */
  private async entryAfter(accountId: string, { position }: Place, count: number): Promise<Place | undefined> {
    const [row]: Place[] = await this.database.query(
      `SELECT position, id FROM event_log.device_events WHERE account_id = $1 AND position = (
         SELECT position FROM event_log.device_events WHERE account_id = $1 AND position > $2
         ORDER BY position LIMIT 1 OFFSET $3)`,
      [accountId, position, count - 1],
    );
    return row;
  }
}
