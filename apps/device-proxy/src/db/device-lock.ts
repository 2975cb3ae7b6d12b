import type { DataSource, EntityManager } from 'typeorm';
import { KeyedSemaphore } from './keyed-semaphore.js';

const semaphores = new WeakMap<DataSource, KeyedSemaphore>();

const semaphoreOf = (dataSource: DataSource): KeyedSemaphore => {
  const known = semaphores.get(dataSource) ?? new KeyedSemaphore();
  semaphores.set(dataSource, known);
  return known;
};

/**
 * A transaction that holds the lock of a device until it ends. Whoever changes a device's commands or subscriptions
 * takes it, on every replica: that gives one order of changes, of queue positions and of what the outbox announces.
 */
export const withDevice = <T>(
  dataSource: DataSource,
  deviceId: string,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> =>
  semaphoreOf(dataSource).run(deviceId, () =>
    dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [deviceId]);
      return work(manager);
    }),
  );

/** Locks that one such transaction should hold: PostgreSQL has room for some thousands, of all sessions together. */
export const locksMax = 100;

/** The same for many: their locks are taken in one order everywhere, so that two such transactions never block one another. */
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
