/** Queries of a log of ten million entries: one device's last 30 days, a rare code, the newest of the account. */
import pg from 'pg';
import { newId } from '@lanyard/service';
import { identityHeaders } from '../../tools/testing/customer.ts';
import { percentile, round } from '../statistics.ts';
import { only } from '../system.ts';
import type { Bench } from '../benches.ts';

const entries = Number(process.env.LANYARD_BENCH_EVENTS || 10_000_000);
/** Devices with a thousand entries each. */
const devices = Math.ceil(entries / 1_000);
const days = 180;
const perStatement = 500_000;
const queries = 400;

/** In the order of time, as entries arrive, so that the partitions are filled one after another. */
const fillSql = `
  INSERT INTO event_log.device_events (id, date_time, account_id, device_id, event_code, event_type, event_type_category,
    event_type_description, description, state_change, changes, data)
  SELECT lpad(to_hex(n), 12, '0') || substr(md5(n::text), 1, 20), now() - interval '${days} days' * (1 - n / ${entries}::float8), $1,
    md5((n % ${devices})::text), code, substr(code, 5), 'INFO', 'INFO', 'Device registered', true, '{}',
    '{"endpoint_name":"meter-7","address":"10.0.0.1:5683"}'
  FROM (SELECT n, CASE WHEN n % 1000 = 0 THEN 'SYS_100' WHEN n % 2 = 0 THEN 'SYS_105' ELSE 'SYS_106' END AS code
        FROM generate_series($2::bigint, $3::bigint) n) g`;

export const eventLog: Bench = {
  about: `one device's last 30 days in a log of ${entries.toLocaleString('en')} entries, over REST`,
  replicas: only({ 'event-log': 1 }),
  async run({ system, say }) {
    const accountId = newId();
    const client = new pg.Client({ connectionString: system.infrastructureUrls.databaseUrl });
    await client.connect();
    // Only this connection, which fills the log, does not wait for the disk.
    await client.query('SET synchronous_commit = off');
    const startedAt = performance.now();
    for (let n = 0; n < entries; n += perStatement) {
      await client.query(fillSql, [accountId, n + 1, Math.min(entries, n + perStatement)]);
      say(
        `${Math.min(entries, n + perStatement)} entries after ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      );
    }
    const fillSeconds = (performance.now() - startedAt) / 1_000;
    await client.query('VACUUM (ANALYZE) event_log.device_events');
    const { rows } =
      await client.query(`SELECT sum(pg_total_relation_size(inhrelid))::float8 AS bytes, count(*)::int AS partitions
      FROM pg_inherits WHERE inhparent = 'event_log.device_events'::regclass`);
    const { rows: ids } = await client.query(
      `SELECT md5(n::text) AS id FROM generate_series(0, ${devices - 1}) n ORDER BY random() LIMIT ${queries}`,
    );
    await client.end();

    const { address } = system.unit('event-log-0').unit;
    const caller = { accountId, keyId: newId(), permissions: ['devices' as const] };
    const ask = async (query: string) => {
      const began = performance.now();
      const response = await fetch(`${address}/v3/device-events?${query}`, {
        headers: identityHeaders(caller, 'event-log', system.identityKey),
      });
      const body = (await response.json()) as { data: object[] };
      if (response.status !== 200) throw new Error(JSON.stringify(body));
      return { ms: performance.now() - began, body };
    };
    const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
    const timesOf = async (queryOf: (deviceId: string) => string, least: number) => {
      const took: number[] = [];
      for (const { id } of ids) {
        const { ms, body } = await ask(queryOf(id));
        if (body.data.length < least) throw new Error(`${body.data.length} entries for ${queryOf(id)}`);
        took.push(ms);
      }
      // The first queries, which compile and fill caches, do not count.
      return took.slice(20);
    };
    const device = await timesOf((id) => `device_id=${id}&date_time__gte=${since}&limit=1000`, 50);
    say('a device');
    const page = await timesOf((id) => `device_id=${id}&date_time__gte=${since}&limit=50`, 50);
    say('a page of a device');
    const rare = await timesOf(() => 'event_type=SYS_100&limit=50', 50);
    say('a rare code');
    const account = await timesOf(() => 'limit=50', 50);
    return {
      entries,
      fill_seconds: round(fillSeconds),
      partitions: rows[0].partitions,
      bytes_per_entry: round(rows[0].bytes / entries),
      device_30_days_p50_ms: round(percentile(device, 0.5)),
      device_30_days_p95_ms: round(percentile(device, 0.95)),
      device_page_of_50_p95_ms: round(percentile(page, 0.95)),
      rare_code_of_account_p95_ms: round(percentile(rare, 0.95)),
      newest_of_account_p95_ms: round(percentile(account, 0.95)),
    };
  },
};
