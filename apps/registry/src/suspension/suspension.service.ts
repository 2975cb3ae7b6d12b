import { PreparedStatement, WriteBatcher } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DeviceNotFound } from '../errors.js';
import { type Author, type DeviceRow, deviceRowColumns, Lifecycle } from '../devices/lifecycle.js';
import { announcedSuspension, type Reason } from '../devices/suspension-reason.js';

interface Change {
  accountId: string;
  deviceId: string;
  reason: Reason;
  actor: Author | undefined;
}

/** Condition on `registry.devices d`: not suspended, or for another reason. The arguments are SQL expressions. */
export const suspendedOtherwise = (category: string, description: string): string =>
  `(NOT d.operator_suspended OR d.last_operator_suspended_category IS DISTINCT FROM ${category}
    OR d.last_operator_suspended_description IS DISTINCT FROM ${description})`;

/** What a suspension by an operator sets. The arguments are SQL expressions. */
export const suspendAssignments = (category: string, description: string): string =>
  `lifecycle_status = 'blocked', operator_suspended = true, last_operator_suspended_category = ${category},
   last_operator_suspended_description = ${description}, last_operator_suspended_updated_at = clock_timestamp()`;

/** A device that the system suspended too stays blocked. */
export const resumeAssignments = `operator_suspended = false,
  lifecycle_status = CASE WHEN system_suspended THEN 'blocked' ELSE 'enabled' END`;

/** What happens to devices that other transactions have locked. */
type Locked = 'wait' | 'skip';

/** `which`: a condition on `registry.devices d`. */
const statement = (assignments: string, which: string, locked: Locked): PreparedStatement<DeviceRow> =>
  new PreparedStatement(
    `UPDATE registry.devices SET ${assignments}, updated_at = clock_timestamp(), revision = revision + 1
     FROM (SELECT d.id AS locked_id, a.category, a.description AS reason_description
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS a (device_id, owner_id, category, description)
       JOIN registry.devices d ON d.id = a.device_id AND d.account_id = a.owner_id
       WHERE ${which} ORDER BY d.id FOR UPDATE OF d ${locked === 'wait' ? '' : 'SKIP LOCKED'}) AS locked
     WHERE id = locked_id RETURNING ${deviceRowColumns}`,
  );

const valuesOf = (changes: readonly Change[]): string[][] => [
  changes.map(({ deviceId }) => deviceId),
  changes.map(({ accountId }) => accountId),
  changes.map(({ reason }) => reason.category),
  changes.map(({ reason }) => reason.description ?? ''),
];

/** A change of devices: its statements, and how it is announced. */
interface Transition {
  change: 'suspended' | 'resumed';
  /** For one device: waits while another transaction has locked it. */
  one: PreparedStatement<DeviceRow>;
  /** For a batch: leaves out devices that other transactions have locked. */
  many: PreparedStatement<DeviceRow>;
}

const transition = (change: Transition['change'], assignments: string, which: string): Transition => ({
  change,
  one: statement(assignments, which, 'wait'),
  many: statement(assignments, which, 'skip'),
});

/** Does nothing for a device that is already suspended for this reason; its record and the log stay unchanged. */
const suspension = transition(
  'suspended',
  suspendAssignments('locked.category', 'locked.reason_description'),
  suspendedOtherwise('a.category', 'a.description'),
);

/** Does nothing for a device that is not suspended. */
const resumption = transition('resumed', resumeAssignments, 'd.operator_suspended');

const existence = new PreparedStatement('SELECT 1 FROM registry.devices WHERE id = $1 AND account_id = $2');

/** Suspends and resumes devices for operators (spec §3.1). Both may be repeated. */
@Injectable()
export class SuspensionService {
  private readonly suspensions = this.batcherOf(suspension);
  private readonly resumptions = this.batcherOf(resumption);

  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Blocks the device; the latest category and description are stored. Throws DeviceNotFound. */
  suspend(accountId: string, deviceId: string, reason: Reason, actor?: Author): Promise<void> {
    return this.suspensions.write({ accountId, deviceId, reason, actor });
  }

  /** A device that operator and system suspended stays blocked until both have resumed it. Throws DeviceNotFound. */
  resume(accountId: string, deviceId: string, reason: Reason, actor?: Author): Promise<void> {
    return this.resumptions.write({ accountId, deviceId, reason, actor });
  }

  private batcherOf(by: Transition): WriteBatcher<Change> {
    return new WriteBatcher(
      (changes) => this.changeMany(by, changes),
      (change) => this.changeOne(by, change),
    );
  }

  private changeMany({ change, many }: Transition, changes: readonly Change[]): Promise<ReadonlySet<Change>> {
    // The first request for each device. Further ones, and those that change nothing, are left to `changeOne`.
    const ofDevice = new Map(changes.toReversed().map((asked) => [asked.deviceId, asked]));
    return this.database.transaction(async (manager) => {
      const rows = await many.run(manager, valuesOf([...ofDevice.values()]));
      await this.announce(manager, change, rows, ofDevice);
      return new Set(rows.flatMap(({ id }) => ofDevice.get(id) ?? []));
    });
  }

  private async changeOne({ change, one }: Transition, asked: Change): Promise<void> {
    const { accountId, deviceId } = asked;
    await this.database.transaction(async (manager) => {
      const rows = await one.run(manager, valuesOf([asked]));
      await this.announce(manager, change, rows, new Map([[deviceId, asked]]));
      if (rows.length === 0 && (await existence.run(manager, [deviceId, accountId])).length === 0)
        throw new DeviceNotFound();
    });
  }

  private announce(
    manager: EntityManager,
    change: Transition['change'],
    rows: readonly DeviceRow[],
    ofDevice: ReadonlyMap<string, Change>,
  ): Promise<void> {
    return this.lifecycle.announceAll(manager, change, rows, ({ id, changed_at }) => {
      const asked = ofDevice.get(id);
      return asked ? { suspension: announcedSuspension('operator', asked.reason, changed_at), actor: asked.actor } : {};
    });
  }
}
