import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { AccountTransactions } from '../src/access/account-transactions.js';
import { Sessions } from '../src/authentication/sessions.js';
import { TestSystem } from './test-system.js';

describe('sweeps', () => {
  let gateway: TestSystem;
  let database: DataSource;

  beforeAll(async () => {
    gateway = await (await TestSystem.corner('sweeps')).start();
    database = gateway.service.app.get(DataSource);
  });

  afterAll(() => gateway?.stop());

  it('announce the end of a key although another account has more of them than fit into one, and fails each time', async () => {
    const failing = newId();
    const transactions = gateway.service.app.get(AccountTransactions);
    const locked = transactions.locked.bind(transactions);
    transactions.locked = async (accountId, work) => {
      if (accountId === failing) throw new Error('its keys cannot be announced');
      return locked(accountId, work);
    };
    await database.query(
      `INSERT INTO accounts (id, display_name, tier, status, auto_create_devices, revision, created_at, updated_at)
       VALUES ($1, 'Failing', 'commercial', 'active', false, 1, now(), now())`,
      [failing],
    );
    // Whether they are sorted or hashed, few of the first 500 would be of another account.
    await database.query(
      `INSERT INTO api_keys (id, account_id, name, hash, status, expires_at, revision, created_at, updated_at)
       SELECT lpad(n::text, 32, '0'), $1, 'app', '', 'active', now() - interval '1 hour', 1, now(), now()
       FROM generate_series(1, 20000) AS n`,
      [failing],
    );
    const { id } = await gateway.newKey();
    await database.query(`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [id]);
    const sql = 'SELECT expiry_announced AS announced FROM api_keys WHERE id = $1';
    await eventually(async () =>
      expect(await database.query<{ announced: boolean }[]>(sql, [id])).toEqual([{ announced: true }]),
    );
  });

  it('delete no session because the clock of a replica is fast', async () => {
    const body = { api_key: gateway.adminKey };
    const { headers } = await gateway.call('/v3/session', { method: 'POST', key: null, body });
    const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
    const tomorrow = new TestClock(Date.now() + 86_400_000);
    await new Sessions(database, gateway.config(), tomorrow).deleteEnded();
    expect((await gateway.call('/v3/session', { key: null, headers: { cookie } })).status).toBe(200);
  });
});
