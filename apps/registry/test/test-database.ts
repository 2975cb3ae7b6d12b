import { openDatabase } from '@lanyard/service';
import { isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { app } from '../src/config.js';
import { databaseOf } from '../src/db/database.js';

export interface TestDatabase {
  database: DataSource;
  drop(): Promise<void>;
}

/** The migrated database of a registry that does not run: the test calls its classes. */
export const testDatabase = async (name: string): Promise<TestDatabase> => {
  const isolation = await isolate(name);
  const { databaseUrl } = isolation;
  const database = await openDatabase(
    databaseOf({ app, replicaId: 'test', logLevel: 'silent', secrets: { databaseUrl } }),
  );
  return {
    database,
    drop: async () => {
      await database.destroy();
      await isolation.drop();
    },
  };
};
