import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, openDatabase } from '@lanyard/service';
import { isolate, type Isolation, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { CampaignWorker } from '../src/progress/campaign-worker.js';
import { DeviceStarter } from '../src/progress/device-starter.js';
import { DeviceTimers } from '../src/progress/device-timers.js';
import type { DeviceUpdates } from '../src/progress/device-updates.js';
import { OpenDevices } from '../src/progress/open-devices.js';
import type { Selections } from '../src/selection/selections.js';

/** That of each replica here is an hour ahead. */
const fastClock = new TestClock(Date.now() + 3_600_000);

/** Gives a campaign its turn when the test says so. */
class SteppedWorker extends CampaignWorker {
  protected override readonly clock = fastClock;

  takeStep(): Promise<boolean> {
    return this.step();
  }
}

/** Looks for devices that are due when the test says so. */
class SteppedTimers extends DeviceTimers {
  protected override readonly clock = fastClock;

  takeStep(): Promise<boolean> {
    return this.step();
  }
}

/** No device is due. */
const noUpdates = {} as unknown as DeviceUpdates;

describe('turns of campaigns', () => {
  let isolation: Isolation;
  let database: DataSource;
  let worker: SteppedWorker;

  beforeAll(async () => {
    isolation = await isolate('campaign-turns');
    const secrets = { databaseUrl: isolation.databaseUrl };
    database = await openDatabase(databaseOf({ replicaId: 'test', secrets } as Parameters<typeof databaseOf>[0]));
    worker = new SteppedWorker(
      database,
      {} as unknown as Selections,
      new DeviceStarter(noUpdates),
      new OpenDevices(noUpdates),
    );
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  /** In a turn of a paused or running campaign without devices, only its next turn is set. */
  const due = async (accountId: string, count: number, at: string, state = 'paused'): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId());
    await database.query(
      `INSERT INTO campaigns.update_campaigns (id, account_id, name, description, image_id, object, version, checksum, size,
         concurrency, retries, failure_count_min, delivery, download_timeout_seconds, install_timeout_seconds, state, tick_at)
       SELECT id, $2::text, id, '', '', 5, '', '', 0, 1, 0, 1, 'pull', 60, 60, $4, $3::timestamptz FROM unnest($1::text[]) id`,
      [ids, accountId, at, state],
    );
    return ids;
  };
  const waiting = async (accountId: string, at: string): Promise<number> => {
    const sql = 'SELECT count(*)::int AS n FROM campaigns.update_campaigns WHERE account_id = $1 AND tick_at = $2';
    const [row] = (await database.query(sql, [accountId, at])) as [{ n: number }];
    return row.n;
  };

  /** How many seconds are left until the next turn, by the clock of PostgreSQL. */
  const secondsLeft = async (accountId: string): Promise<number> => {
    const sql =
      'SELECT extract(epoch FROM tick_at - now())::float8 AS n FROM campaigns.update_campaigns WHERE account_id = $1';
    const [row] = (await database.query(sql, [accountId])) as [{ n: number }];
    return row.n;
  };
  const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

  it('are those of accounts: one with many campaigns does not hold up the one of another', async () => {
    const [many, other] = [newId(), newId()];
    const [earlier, later] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
    await due(many, 20, earlier);
    await due(other, 1, later);
    for (let step = 0; step < 2; step++) expect(await worker.takeStep()).toBe(true);
    expect([await waiting(many, earlier), await waiting(other, later)]).toEqual([19, 0]);
    while (await worker.takeStep());
    expect(await waiting(many, earlier)).toBe(0);
  });

  it.each([
    ['is a few seconds away, whatever the clock of the replica that gives them', -1],
    ['does not wait until the clock of PostgreSQL, which was set back, has caught up', 60],
  ])('the next one %s', async (_, minutes) => {
    const accountId = newId();
    await due(accountId, 1, inMinutes(minutes), 'running');
    while (await worker.takeStep());
    expect(await secondsLeft(accountId)).toBeLessThan(60);
  });

  it('no device is due too early because the clock of a replica is fast', async () => {
    const accountId = newId();
    const [campaignId] = await due(accountId, 1, inMinutes(-1), 'running');
    await database.query(
      `INSERT INTO campaigns.campaign_devices (campaign_id, device_id, account_id, state, due_at, added_at, updated_at)
       VALUES ($1, $2, $3, 'updating', $4, now(), now())`,
      [campaignId, newId(), accountId, inMinutes(30)],
    );
    expect(await new SteppedTimers(database, noUpdates).takeStep()).toBe(false);
  });
});
