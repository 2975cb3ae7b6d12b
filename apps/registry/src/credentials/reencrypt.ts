import { DeviceCredentials } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { createLogger, type EncryptionKeys, openDatabase, reseal } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { app, type RegistryConfig } from '../config.js';
import { databaseOf, schema } from '../db/database.js';
import { announcedColumns, type AnnouncedRow, announcementOf } from './credential-announcement.js';

const pageSize = 200;

/** Re-encrypts one page after `after`, in one transaction. */
const resealPage = (database: DataSource, outbox: Outbox, keys: EncryptionKeys, after: string) =>
  database.transaction(async (manager) => {
    const rows = await manager.query<AnnouncedRow[]>(
      `SELECT ${announcedColumns} FROM registry.device_credentials
       WHERE kind = 'psk' AND id > $1 ORDER BY id LIMIT ${pageSize} FOR UPDATE`,
      [after],
    );
    let resealed = 0;
    for (const row of rows) {
      const sealedKey = reseal(keys, row.sealed_key ?? '');
      if (sealedKey === undefined) continue;
      await manager.query('UPDATE registry.device_credentials SET sealed_key = $2 WHERE id = $1', [row.id, sealedKey]);
      await outbox.append(manager, DeviceCredentials, announcementOf({ ...row, sealed_key: sealedKey }));
      resealed++;
    }
    return { resealed, seen: rows.length, last: rows.at(-1)?.id };
  });

/**
 * Re-encrypts every pre-shared key with the first of the keys and announces it for the copies in device-proxy.
 * May be repeated, and run beside the service. Throws if one of them was encrypted with a key that is not given.
 */
const resealCredentials = async (
  database: DataSource,
  outbox: Outbox,
  keys: EncryptionKeys,
): Promise<{ seen: number; resealed: number }> => {
  const total = { seen: 0, resealed: 0 };
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await resealPage(database, outbox, keys, after);
    total.seen += page.seen;
    total.resealed += page.resealed;
    after = page.last;
  }
  return total;
};

/** The command `reencrypt`. A running registry sends its announcements from the outbox. */
export const reencrypt = async (config: RegistryConfig): Promise<void> => {
  const logger = createLogger({ app, replicaId: config.replicaId, level: config.logLevel });
  const database = await openDatabase(databaseOf(config));
  try {
    const outbox = new Outbox(schema, app);
    const total = await resealCredentials(database, outbox, config.secrets.encryptionKey);
    logger.info(total, 'pre-shared keys re-encrypted');
  } finally {
    await database.destroy();
  }
};
