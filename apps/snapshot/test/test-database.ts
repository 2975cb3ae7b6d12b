import { afterAll, beforeAll } from '@jest/globals';
import { openDatabase } from '@lanyard/service';
import { type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';

/** A database of the service for the tests of one file, without the service: they get it once they run. */
export const testDatabase = (name: string): (() => DataSource) => {
  let isolation: Isolation;
  let database: DataSource;

  beforeAll(async () => {
    isolation = await isolate(name);
    const { databaseUrl } = isolation;
    database = await openDatabase(
      databaseOf({ app: 'snapshot', replicaId: 'test', logLevel: 'silent', secrets: { databaseUrl } }),
    );
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  return () => database;
};
