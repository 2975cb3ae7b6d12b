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
  columnsOf,
  FairQueue,
  formatTimestamp,
  parseListQuery,
  QueryTimedOut,
  ValidationFailed,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
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

/** Attempts of a query that the statement time-out cancels: an overloaded database must not end a campaign. */
const attemptsMax = 3;

/** Attempts after failures of another kind: with growing pauses, these last about a day. */
const failuresMax = 400;

/** Of the due requests of an account that no replica is answering, the one whose last attempt is longest ago. */
const nextSql = `
  SELECT attempts, failures, request FROM registry.selection_requests
  WHERE account_id = $1 AND due_at <= clock_timestamp() ORDER BY tried_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

const slowSql = `
  UPDATE registry.selection_requests SET attempts = attempts + 1, tried_at = clock_timestamp()
  WHERE selection_id = $1 AND page = $2`;

/** The pause doubles from 1 s to 5 min. Half of it is random, because a failure strikes many requests in the same moment. */
const failedSql = `
  UPDATE registry.selection_requests SET failures = failures + 1, tried_at = clock_timestamp(),
    due_at = clock_timestamp() + make_interval(secs => least(2 ^ failures, 300) * (1 + random()) / 2)
  WHERE selection_id = $1 AND page = $2`;

interface StoredRequest {
  /** Attempts whose query took too long. */
  attempts: number;
  failures: number;
  request: DeviceSelectionRequested;
}

interface DueRequests {
  account_id: string;
  n: number;
}

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

/**
 * Answers which devices a group and a filter select, one page per request (docs/adr/0028). Requests are stored until they
 * are answered: a query may take long, and the consumer reads the requests of all accounts.
 */
@Injectable()
export class SelectionAnswers {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupsService,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores requests that are not stored yet. One that is read again after its answer is answered again. */
  async store(requests: readonly DeviceSelectionRequested[]): Promise<void> {
    // As json: jsonb refuses a NUL, which a filter may contain.
    await this.database.query(
      `INSERT INTO registry.selection_requests (selection_id, page, account_id, request)
       SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::json[]) ON CONFLICT DO NOTHING`,
      columnsOf(requests.map((one) => [one.selectionId, one.page, one.accountId, JSON.stringify(one)])),
    );
  }

  /** How many requests of each account are due. */
  countDue(): Promise<DueRequests[]> {
    return this.database.query<DueRequests[]>(
      `SELECT account_id, count(*)::integer AS n FROM registry.selection_requests
       WHERE due_at <= clock_timestamp() GROUP BY account_id`,
    );
  }

  /**
   * Answers a request of the account. One whose query takes too long is tried again after the others. If a request
   * fails for another reason, this rejects, and the request is tried again after a pause. Each is refused after its
   * last attempt. Returns false if no request is due, or if other replicas are answering all that are.
   */
  async answerNext(accountId: string): Promise<boolean> {
    let stored: StoredRequest | undefined;
    try {
      await FairQueue.at(this.database).run(accountId, () =>
        this.database.transaction(async (manager) => {
          [stored] = await manager.query<StoredRequest[]>(nextSql, [accountId]);
          if (stored) await this.answer(manager, stored.request, await this.select(manager, stored.request));
        }),
      );
    } catch (error) {
      const isSlow = error instanceof QueryTimedOut;
      if (stored) await this.recordFailure(stored, isSlow);
      if (!isSlow) throw error;
    }
    return stored !== undefined;
  }

  private async recordFailure({ request, attempts, failures }: StoredRequest, isSlow: boolean): Promise<void> {
    const { selectionId, page, filter } = request;
    const isLast = isSlow ? attempts + 1 >= attemptsMax : failures + 1 >= failuresMax;
    if (isLast) {
      const message = isSlow ? 'The query takes too long' : `The devices could not be read in ${failuresMax} attempts`;
      const answer = refused(filter === undefined ? 'group_id' : 'filter', message);
      return this.database.transaction((manager) => this.answer(manager, request, answer));
    }
    await this.database.query(isSlow ? slowSql : failedSql, [selectionId, page]);
  }

  private async answer(manager: EntityManager, request: DeviceSelectionRequested, answer: Answer): Promise<void> {
    const { selectionId, accountId, page } = request;
    const selectedAt = formatTimestamp(this.clock.now());
    await this.outbox.append(manager, DeviceSelectionPages, { selectionId, accountId, page, ...answer, selectedAt });
    await manager.query('DELETE FROM registry.selection_requests WHERE selection_id = $1 AND page = $2', [
      selectionId,
      page,
    ]);
  }

  private async select(manager: EntityManager, request: DeviceSelectionRequested): Promise<Answer> {
    const { accountId, groupId } = request;
    try {
      if (groupId !== undefined) await this.groups.mustBeVisible({ accountId }, groupId, manager);
      return await this.page(manager, request);
    } catch (error) {
      if (error instanceof GroupNotFound) return refused('group_id', error.message);
      if (!(error instanceof ValidationFailed)) throw error;
      const [problem] = error.fields;
      return refused('filter', problem ? `${problem.name}: ${problem.message}` : error.message);
    }
  }

  private async page(
    manager: EntityManager,
    { accountId, groupId, filter, after, until, limit }: DeviceSelectionRequested,
  ): Promise<Answer> {
    const { filters } = parseListQuery(filter === undefined ? {} : { filter }, deviceListSpec);
    // As in the other operations on many devices, an empty filter must not mean all devices.
    if (filter !== undefined && filters.length === 0) throw new FilterMissing();
    const parameters: unknown[] = [];
    const conditions = deviceConditions({ accountId }, filters, parameters, groupId);
    const sql = `SELECT d.id, d.endpoint_name, d.lifecycle_status, d.state FROM registry.devices d
      WHERE ${conditions.join(' AND ')} AND d.id > $${parameters.push(after ?? '')} AND d.id < $${parameters.push(until)}
      ORDER BY d.id LIMIT ${limit + 1}`;
    const rows = await manager.query<Row[]>(sql, parameters);
    return { devices: rows.slice(0, limit).map(selected), hasMore: rows.length > limit };
  }
}
