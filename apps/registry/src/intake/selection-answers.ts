import {
  type DeviceSelectionAnswered,
  DeviceSelectionPages,
  type DeviceSelectionRequested,
  type SelectedDevice,
} from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import {
  type Clock,
  CLOCK,
  FairQueue,
  formatTimestamp,
  parseListQuery,
  QueryTimedOut,
  ValidationFailed,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deviceConditions, deviceListSpec } from '../devices/device-list.js';
import { FilterMissing, GroupNotFound } from '../errors.js';
import { GroupsService } from '../groups/groups.service.js';

interface Row {
  id: string;
  endpoint_name: string | null;
  lifecycle_status: 'enabled' | 'blocked';
  state: string;
}

type Answer = Pick<DeviceSelectionAnswered, 'devices' | 'hasMore' | 'refusal'>;

/** Of a query that is cancelled after the time for statements. */
const attemptsMax = 3;

/** In characters. The message may repeat the value of a filter, which has a length of its own. */
const refusalMax = 200;

const refused = (field: 'filter' | 'group_id', message: string): Answer => ({
  devices: [],
  hasMore: false,
  // Campaigns store it: PostgreSQL has no NUL.
  refusal: { field, message: [...message.replaceAll('\0', '\ufffd')].slice(0, refusalMax).join('') },
});

const selected = ({ id, endpoint_name: name, lifecycle_status: lifecycleStatus, state }: Row): SelectedDevice => ({
  deviceId: id,
  ...(name && { endpointName: name }),
  lifecycleStatus,
  isRegistered: state === 'registered',
});

/** Answers which devices a group and a filter select, one page per request (docs/adr/0028). */
@Injectable()
export class SelectionAnswers {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupsService,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A request that is read twice is answered twice. */
  async answer(request: DeviceSelectionRequested): Promise<void> {
    const { selectionId, accountId, page } = request;
    const answer = await this.select(request);
    const selectedAt = formatTimestamp(this.clock.now());
    await this.database.transaction((manager) =>
      this.outbox.append(manager, DeviceSelectionPages, { selectionId, accountId, page, ...answer, selectedAt }),
    );
  }

  private async select(request: DeviceSelectionRequested): Promise<Answer> {
    try {
      if (request.groupId !== undefined) await this.groups.get(request.accountId, request.groupId);
      return await this.patiently(() => this.page(request));
    } catch (error) {
      if (error instanceof GroupNotFound) return refused('group_id', error.message);
      // It keeps the requests of other accounts waiting.
      if (error instanceof QueryTimedOut)
        return refused(request.filter === undefined ? 'group_id' : 'filter', 'The query takes too long');
      if (!(error instanceof ValidationFailed)) throw error;
      const [problem] = error.fields;
      return refused('filter', problem ? `${problem.name}: ${problem.message}` : error.message);
    }
  }

  /** A database that is overloaded must not end a campaign. */
  private async patiently(ask: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt++)
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof QueryTimedOut) || attempt >= attemptsMax) throw error;
      }
  }

  private async page({ accountId, groupId, filter, after, until, limit }: DeviceSelectionRequested): Promise<Answer> {
    const { filters } = parseListQuery(filter === undefined ? {} : { filter }, deviceListSpec);
    // As the other operations on many devices: an empty filter must not mean all of them.
    if (filter !== undefined && filters.length === 0) throw new FilterMissing();
    const parameters: unknown[] = [];
    const conditions = deviceConditions({ accountId }, filters, parameters, groupId);
    const sql = `SELECT d.id, d.endpoint_name, d.lifecycle_status, d.state FROM registry.devices d
      WHERE ${conditions.join(' AND ')} AND d.id > $${parameters.push(after ?? '')} AND d.id < $${parameters.push(until)}
      ORDER BY d.id LIMIT ${limit + 1}`;
    const rows: Row[] = await FairQueue.at(this.database).run(accountId, () => this.database.query(sql, parameters));
    return { devices: rows.slice(0, limit).map(selected), hasMore: rows.length > limit };
  }
}
