import type { AccessAccountChanged } from '@lanyard/contracts';
import { BackgroundWork, hasRow, isoTime } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Lifecycle } from '../devices/lifecycle.js';
import { accountSuspensionReason, awaitDeviceCreation, changeSystemSuspension } from '../devices/account-suspension.js';
import { announcedSuspension } from '../devices/suspension-reason.js';

const periodMs = 1_000;
const devicesAtOnce = 500;

// Only accounts that are or were suspended have a row; the later of two facts wins.
const suspendSql = `
  INSERT INTO registry.account_standings (account_id, suspended, changed_at, settled) VALUES ($1, true, $2, false)
  ON CONFLICT (account_id) DO UPDATE SET suspended = true, changed_at = $2, settled = false
  WHERE NOT account_standings.suspended AND account_standings.changed_at < $2`;
const resumeSql = `
  UPDATE registry.account_standings SET suspended = false, changed_at = $2, settled = false
  WHERE account_id = $1 AND suspended AND changed_at < $2`;

/** SQL condition: the devices of the next step, those of account $1 after the id $3 whose state differs from $2. */
const nextBatch = `d.id IN (SELECT id FROM registry.devices WHERE account_id = $1 AND system_suspended <> $2 AND id > $3
  ORDER BY id LIMIT ${devicesAtOnce} FOR UPDATE)`;

interface AccountStatus {
  account_id: string;
  suspended: boolean;
  changed_at: string;
}

/** The devices of an account up to `lastId` have been changed after the account, which changed at `changedAt`. */
interface Progress {
  accountId: string;
  changedAt: string;
  lastId: string;
}

/**
 * The system suspends the devices of an account that the installation suspends, and resumes them with the account (spec §2.2,
 * §3.1). Devices that an operator suspended stay suspended. Any replica does the next step, a few hundred devices in one
 * transaction with their announcements: after a crash, no step is repeated.
 */
@Injectable()
export class SystemSuspension extends BackgroundWork {
  /** By account. Only avoids reading devices that have been changed: each replica has its own, lost at a restart. */
  private readonly progress = new Map<string, Progress>();

  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {
    super(periodMs, 'devices of an account not suspended, tried again');
  }

  /** A fact may be repeated, and may arrive late. */
  async recordAccount({ accountId, status, changedAt }: AccessAccountChanged): Promise<void> {
    await this.database.transaction(async (manager) => {
      await awaitDeviceCreation(manager, accountId);
      await manager.query(status === 'suspended' ? suspendSql : resumeSql, [accountId, changedAt]);
    });
    this.wake();
  }

  protected async step(): Promise<boolean> {
    if (!(await hasRow(this.database, 'SELECT FROM registry.account_standings WHERE NOT settled'))) {
      this.progress.clear();
      return false;
    }
    const advanced = await this.database.transaction((manager) => this.advance(manager));
    if (advanced) this.progress.set(advanced.accountId, advanced);
    return advanced !== undefined;
  }

  /** Changes devices of the account that waited longest. Returns undefined if there was nothing to do. */
  private async advance(manager: EntityManager): Promise<Progress | undefined> {
    const [account] = await manager.query<AccountStatus[]>(
      `SELECT account_id, suspended, ${isoTime('changed_at')} AS changed_at FROM registry.account_standings
       WHERE NOT settled ORDER BY touched_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    if (!account) return undefined;
    const { account_id: accountId, suspended, changed_at: changedAt } = account;
    const change = suspended ? 'suspended' : 'resumed';
    const known = this.progress.get(accountId);
    const after = known?.changedAt === changedAt ? known.lastId : '';
    const rows = await changeSystemSuspension(manager, change, nextBatch, [accountId, suspended, after]);
    await this.lifecycle.announceAll(manager, change, rows, (row) => ({
      suspension: announcedSuspension('system', accountSuspensionReason, row.changed_at),
    }));
    await manager.query(
      'UPDATE registry.account_standings SET settled = $2, touched_at = clock_timestamp() WHERE account_id = $1',
      [accountId, rows.length < devicesAtOnce],
    );
    return { accountId, changedAt, lastId: rows.reduce((last, { id }) => (id > last ? id : last), after) };
  }
}
