import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { DeviceCounter } from '../src/devices/device-counts.js';
import { type TestDatabase, testDatabase } from './test-database.js';

describe('the numbers of devices by state', () => {
  let stored: TestDatabase;

  beforeAll(async () => {
    stored = await testDatabase('device-counts');
  });
  afterAll(async () => {
    await stored?.drop();
  });

  it.each([
    ['are the same within 5 seconds', 4_999, 1],
    ['are counted again after 5 seconds', 5_000, 2],
    ['are counted again when the clock was set back', -300_000, 2],
  ])('%s', async (_, byMs, total) => {
    const { database } = stored;
    const accountId = newId();
    const clock = new TestClock();
    const counter = new DeviceCounter(database, clock);
    const insert = 'INSERT INTO registry.devices (id, account_id) VALUES ($1, $2)';
    await database.query(insert, [newId(), accountId]);
    expect(await counter.countsOf(accountId)).toMatchObject({ total: 1, by_state: { unenrolled: 1 } });
    await database.query(insert, [newId(), accountId]);
    clock.adjust(byMs);
    expect(await counter.countsOf(accountId)).toMatchObject({ total });
  });
});
