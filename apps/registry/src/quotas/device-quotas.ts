import { countOf, KeyedMutex } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeviceLimitExceeded } from '../errors.js';
import { AccountQuotasReader } from './account-quotas.reader.js';

/** First half of an advisory lock's key: additions of devices to an account with a quota are serialised. */
const lockSpace = 0x0b0d;

/** Enforces quotas of devices. Accounts without a quota, which are most, cost nothing. */
@Injectable()
export class DeviceQuotas {
  private readonly mutex = new KeyedMutex();

  constructor(private readonly quotas: AccountQuotasReader) {}

  /**
   * Runs an addition that a request makes. In this replica, those to an account with a quota run one after the other:
   * while waiting for the lock of `room`, each would hold one of the connections that all accounts share.
   */
  runInTurn<T>(accountId: string, add: () => Promise<T>): Promise<T> {
    return this.quotas.get(accountId) === undefined ? add() : this.mutex.run(accountId, add);
  }

  /** How many of `wanted` may be added in this transaction. If there is a quota, other additions wait for its end. */
  async room(manager: EntityManager, accountId: string, wanted: number): Promise<number> {
    const max = this.quotas.get(accountId);
    if (max === undefined) return wanted;
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    const devices = '(SELECT 1 FROM registry.devices WHERE account_id = $1 LIMIT $2) d';
    return Math.min(wanted, Math.max(0, max - (await countOf(manager, devices, [accountId, max]))));
  }

  /** Throws DeviceLimitExceeded if no device may be added. */
  async mustHaveRoom(manager: EntityManager, accountId: string): Promise<void> {
    if ((await this.room(manager, accountId, 1)) < 1) throw new DeviceLimitExceeded(this.quotas.get(accountId) ?? 0);
  }
}
