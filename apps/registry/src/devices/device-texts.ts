import { anyOf, JsonText, type ListQuery, pageBytesMax, PreparedReads, ReadBatcher } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deviceEtag, deviceGroups, deviceRecord, withGroups } from './device-record.js';
import { RecordTextCache } from './record-text-cache.js';

/**
 * SQL of the version of a row: the transaction that wrote it and its place in the table. A database that was restored to an
 * earlier point assigns both again, so the numbers of the last change and session are added.
 */
const deviceVersion = `concat_ws(' ', d.xmin, d.ctid, d.revision, d.session_epoch)`;

const oneSql = `SELECT d.id, d.account_id, ${deviceEtag}, ${deviceRecord}, ${deviceGroups} FROM registry.devices d WHERE d.id = ${anyOf('$1')}`;

interface SingleDevice {
  accountId: string;
  text: JsonText;
}

/** Which devices a page lists, as SQL on `registry.devices d`. */
interface RowFilter {
  where: string;
  parameters: readonly unknown[];
  plan: 'once' | 'each';
}

type PageRow = [id: string, groups: string, version: string];

/** Texts that one statement reads. */
const readAtOnce = 200;

export interface DevicePage {
  texts: string[];
  hasMore: boolean;
}

@Injectable()
export class DeviceTexts {
  private readonly prepared: PreparedReads;
  private readonly cache = new RecordTextCache();
  private readonly single = new ReadBatcher((ids) => this.readSingle(ids));

  constructor(database: DataSource) {
    this.prepared = new PreparedReads(database);
  }

  /** Reads one device. undefined if the account has no such device. */
  async get(accountId: string, id: string): Promise<JsonText | undefined> {
    const found = await this.single.get(id);
    return found?.accountId === accountId ? found.text : undefined;
  }

  /**
   * Reads devices in the order of their ids. PostgreSQL returns ids, versions and groups; only the texts that are not
   * in the cache are read. `conditions` are on `registry.devices d`, with `parameters`.
   */
  async readPage(
    conditions: readonly string[],
    parameters: readonly unknown[],
    query: Pick<ListQuery, 'order' | 'limit' | 'filters'>,
  ): Promise<DevicePage> {
    const { order, limit } = query;
    const filter: RowFilter = {
      where: conditions.join(' AND '),
      parameters,
      plan: query.filters.length > 0 ? 'each' : 'once',
    };
    const rows = await this.prepared.tuples<PageRow>(
      `SELECT d.id, ${deviceGroups}, ${deviceVersion} FROM registry.devices d
       WHERE ${filter.where} ORDER BY d.id ${order} LIMIT ${limit + 1}`,
      [...parameters],
      filter.plan,
    );
    const { texts, end } = await this.textsOf(filter, rows.slice(0, limit));
    const hasMore = rows.length > end;
    // All were deleted between the two statements. Clients continue after the last device of a page, so it needs one.
    return texts.length === 0 && hasMore ? this.readPage(conditions, parameters, query) : { texts, hasMore };
  }

  /**
   * Texts of the first rows, as many as fit into a page: a text may be 80 times as long as most others. `end`: the
   * index of the first row that is not included.
   */
  private async textsOf(filter: RowFilter, rows: readonly PageRow[]): Promise<{ texts: string[]; end: number }> {
    const texts: string[] = [];
    let characters = 0;
    for (let from = 0; from < rows.length; from += readAtOnce) {
      const chunk = rows.slice(from, from + readAtOnce);
      const known = chunk.map(([id, , version]) => this.cache.get(id, version));
      const missing = chunk.flatMap(([id], i) => (known[i] === undefined ? id : []));
      const read = missing.length > 0 ? await this.read(filter, missing) : new Map<string, string>();
      for (const [i, [id, groups]] of chunk.entries()) {
        const text = known[i] ?? read.get(id);
        if (text === undefined) continue;
        characters += text.length + groups.length;
        if (texts.length > 0 && characters > pageBytesMax) return { texts, end: from + i };
        texts.push(withGroups(text, groups));
      }
    }
    return { texts, end: rows.length };
  }

  /** Reads the current texts of devices, which may be newer than requested; devices that no longer match are omitted. */
  private async read({ where, parameters, plan }: RowFilter, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.prepared.tuples<[id: string, text: string, version: string]>(
      `SELECT d.id, ${deviceRecord}, ${deviceVersion} FROM registry.devices d
       WHERE ${where} AND d.id = ${anyOf(`$${parameters.length + 1}`)}`,
      [...parameters, ids],
      plan,
    );
    for (const [id, text, version] of rows) this.cache.put(id, version, text);
    return new Map(rows.map(([id, text]) => [id, text]));
  }

  private async readSingle(ids: readonly string[]): Promise<Map<string, SingleDevice>> {
    const rows = await this.prepared.tuples<
      [id: string, accountId: string, etag: string, text: string, groups: string]
    >(oneSql, [ids]);
    return new Map(
      rows.map(([id, accountId, etag, text, groups]) => [
        id,
        { accountId, text: new JsonText(withGroups(text, groups), etag) },
      ]),
    );
  }
}
