import type { ApiHeaderOptions, ApiResponseOptions } from '@nestjs/swagger';
import { affected, type Clock } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import { IdempotencyKeyReused, MalformedIdempotencyKey } from '../errors.js';
import { idempotencyHours, idempotencyKeyLengthMax } from './limits.js';

/** A request that is executed once, however often it is sent. */
export interface OnceOnly {
  /** API key of the caller: another key may use the same Idempotency-Key. */
  keyId: string;
  key: string;
  fingerprint: string;
}

export const idempotencyHeader: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[!-~]+$' },
  description: `Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within ${idempotencyHours} hours`,
};

export const replayedHeader: ApiResponseOptions['headers'] = {
  'Idempotency-Replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'The request was accepted earlier and is not carried out again',
  },
};

export const idempotencyKeyReused: ApiResponseOptions = {
  status: 422,
  description: 'IDEMPOTENCY_KEY_REUSED: the key was used with a different request',
};

/** The header of a request; undefined if there is none. Throws MalformedIdempotencyKey. */
export const readIdempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined;
  const key = header.trim();
  if (!/^[!-~]+$/.test(key) || key.length > idempotencyKeyLengthMax) throw new MalformedIdempotencyKey();
  return key;
};

/** Deleted in batches, as the commands are. */
const forgottenAtOnce = 5_000;
const forgetSql = `
  DELETE FROM idempotency_keys WHERE (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency_keys WHERE stored_at <= $1 ORDER BY stored_at
    LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED)`;

/** The command that each Idempotency-Key created. Written in SQL, because a key is replaced only when it is too old to count. */
export class IdempotencyKeys {
  constructor(private readonly clock: Clock) {}

  /** The command that the request has already created. Throws IdempotencyKeyReused if that was another request. */
  async find(manager: EntityManager, { keyId, key, fingerprint }: OnceOnly): Promise<string | undefined> {
    const [row]: { fingerprint: string; command_id: string }[] = await manager.query(
      `SELECT fingerprint, command_id FROM idempotency_keys
       WHERE key_id = $1 AND idempotency_key = $2 AND stored_at > $3`,
      [keyId, key, this.oldest()],
    );
    if (row && row.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
    return row?.command_id;
  }

  /**
   * Called in the transaction that stores the command, after `find` under the lock of the device: a row that was added in
   * between belongs to another device. Throws IdempotencyKeyReused then.
   */
  async store(manager: EntityManager, { keyId, key, fingerprint }: OnceOnly, commandId: string): Promise<void> {
    const rows: unknown[] = await manager.query(
      `INSERT INTO idempotency_keys AS k (key_id, idempotency_key, fingerprint, command_id, stored_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint,
         command_id = EXCLUDED.command_id, stored_at = EXCLUDED.stored_at WHERE k.stored_at <= $6
       RETURNING k.command_id`,
      [keyId, key, fingerprint, commandId, new Date(this.clock.now()), this.oldest()],
    );
    if (rows.length === 0) throw new IdempotencyKeyReused();
  }

  async forgetOld(manager: EntityManager): Promise<void> {
    while ((await affected(manager, forgetSql, [this.oldest()])) === forgottenAtOnce);
  }

  private oldest(): Date {
    return new Date(this.clock.now() - idempotencyHours * 3_600_000);
  }
}
