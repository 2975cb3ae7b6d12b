import { countOf } from '@lanyard/service';
import type { EntityManager } from 'typeorm';

/** How many records of this kind the account has. Until the transaction ends, other calls of the account wait here. */
export const lockedCount = async (
  manager: EntityManager,
  table: 'bootstrap_profiles' | 'trusted_certificates',
  accountId: string,
): Promise<number> => {
  const lock = table.replace('_', '-');
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [lock, accountId]);
  return countOf(manager, `registry.${table} WHERE account_id = $1`, [accountId]);
};
