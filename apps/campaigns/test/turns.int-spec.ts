import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, openDatabase } from '@lanyard/service';
import { isolate, type Isolation, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { CampaignWorker } from '../src/progress/campaign-worker.js';
import type { DeviceStarter } from '../src/progress/device-starter.js';
import type { OpenDevices } from '../src/progress/open-devices.js';
import type { Selections } from '../src/selection/selections.js';

/** Gives a campaign its turn when the test says so. */
class SteppedWorker extends CampaignWorker {
  protected override readonly clock = new TestClock(Date.now());

  takeStep(): Promise<boolean> {
    return this.step();
  }
}

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
      {} as unknown as DeviceStarter,
      {} as unknown as OpenDevices,
    );
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  /** Paused campaigns: all that happens in a turn of one is that its next turn is set. */
  const due = async (accountId: string, count: number, at: string): Promise<void> => {
    await database.query(
      `INSERT INTO campaigns.update_campaigns (id, account_id, name, description, image_id, object, version, checksum, size,
         concurrency, retries, failure_count_min, delivery, download_timeout_seconds, install_timeout_seconds, state, tick_at)
       SELECT id, $2::text, id, '', '', 5, '', '', 0, 1, 0, 1, 'pull', 60, 60, 'paused', $3::timestamptz FROM unnest($1::text[]) id`,
      [Array.from({ length: count }, () => newId()), accountId, at],
    );
  };
  const waiting = async (accountId: string, at: string): Promise<number> => {
    const sql = 'SELECT count(*)::int AS n FROM campaigns.update_campaigns WHERE account_id = $1 AND tick_at = $2';
    const [row] = (await database.query(sql, [accountId, at])) as [{ n: number }];
    return row.n;
  };

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
});
