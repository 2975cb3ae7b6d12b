import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { Client } from 'pg';
import { registryLandscape } from './landscape.js';

describe('turns at the database', () => {
  const { call, configOf } = registryLandscape('turns');

  const selection = { action: 'suspend', category: 'other', filter: 'name=a' };

  it.each<[string, string, string, object | undefined]>([
    ['exports', 'GET', '/v3/devices/export', undefined],
    ['dry runs', 'POST', '/v3/device-suspensions', { ...selection, dry_run: true }],
    ['bulk suspensions', 'POST', '/v3/device-suspensions', selection],
  ])(
    'ten %s of one account hold five places; the list of another begins',
    async (_, method, path, body) => {
      const [many, other] = [newId(), newId()];
      const holder = new Client({ connectionString: configOf('holder').secrets.databaseUrl });
      await holder.connect();
      const holding = async (): Promise<number> => {
        const { rows } = await holder.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'registry.devices'::regclass`,
        );
        return rows[0]?.n ?? 0;
      };
      try {
        await holder.query('BEGIN; LOCK TABLE registry.devices');
        const ten = Array.from({ length: 10 }, () => call(method, path, body, many));
        await eventually(async () => (await holding()) >= 5);
        const list = call('GET', '/v3/devices', undefined, other);
        await eventually(async () => expect(await holding()).toBe(6), { timeoutMs: 10_000 });
        await holder.query('COMMIT');
        for (const { status } of await Promise.all([...ten, list])) expect(status).toBe(200);
      } finally {
        await holder.end();
      }
    },
    30_000,
  );
});
