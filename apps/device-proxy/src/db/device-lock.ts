import { PreparedStatement } from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import { KeyedSemaphore } from './keyed-semaphore.js';

const lock = new PreparedStatement<never>('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

const semaphores = new WeakMap<DataSource, KeyedSemaphore>();

const semaphoreOf = (dataSource: DataSource): KeyedSemaphore => {
  const known = semaphores.get(dataSource) ?? new KeyedSemaphore();
  semaphores.set(dataSource, known);
  return known;
};

/**
 * A transaction that holds the lock of a device until it ends. Every change of a device's commands or subscriptions takes this
 * lock, on every replica, so that changes, queue positions and outbox announcements share one order.
 */
export const withDevice = <T>(
  dataSource: DataSource,
  deviceId: string,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> =>
  semaphoreOf(dataSource).run(deviceId, () =>
    dataSource.transaction(async (manager) => {
      await lock.run(manager, [deviceId]);
      return work(manager);
    }),
  );

/** Maximum locks per transaction: PostgreSQL has room for some thousands over all sessions. */
export const locksMax = 100;

/** Does the same for many devices. Every replica takes the locks in the same order, so that transactions never deadlock. */
export const withDevices = <T>(
  dataSource: DataSource,
  deviceIds: readonly string[],
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> =>
  dataSource.transaction(async (manager) => {
    await manager.query(
      `SELECT pg_advisory_xact_lock(k)
       FROM (SELECT DISTINCT hashtextextended(id, 0) AS k FROM unnest($1::text[]) id ORDER BY k) AS sorted`,
      [deviceIds],
    );
    return work(manager);
  });
