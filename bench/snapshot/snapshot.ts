/** Values a second from a full topic into PostgreSQL, compared with the same rows written by pg alone. */
import { sleep } from '../../tools/lanyard/project.ts';
import { AccessAccounts, DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import pg from 'pg';
import { median, round } from '../statistics.ts';
import { only } from '../system.ts';
import type { Bench } from '../benches.ts';

const devices = 2_000;
const resourcesEach = 10;
const resources = devices * resourcesEach;
const perRound = 200_000;
const producedAtOnce = 10_000;
const bareBatch = 1_000;

const ids = Array.from({ length: devices }, () => newId());
/** Accounts by whether the snapshot keeps their history. */
const accounts = { with: newId(), without: newId() };

const value = (n: number, sequence: number, accountId: string) => {
  const deviceId = ids[Math.floor(n / resourcesEach) % devices] as string;
  const path = `/3303/${n % resourcesEach}/5700`;
  return {
    item: {
      ep: deviceId,
      path,
      ct: 'text/plain',
      payload: Buffer.from(String(sequence)).toString('base64'),
      'max-age': 60,
    },
    cause: 'notify' as const,
    deviceId,
    accountId,
    endpointName: `meter-${n % devices}`,
    epoch: 1,
    sequence,
    observedAt: new Date().toISOString(),
    audience: [],
  };
};

const bareSql = `
  INSERT INTO bare AS r (device_id, path, value, content_type, at, expires_at, epoch, sequence)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::bigint[], $8::bigint[])
  ON CONFLICT (device_id, path) DO UPDATE SET value = excluded.value, content_type = excluded.content_type, at = excluded.at,
    expires_at = excluded.expires_at, epoch = excluded.epoch, sequence = excluded.sequence
  WHERE (r.epoch, r.sequence) < (excluded.epoch, excluded.sequence)`;

const bareHistorySql = `
  INSERT INTO bare_history (resource_id, at, tie, value)
  SELECT hashtextextended(device_id || path, 0), at, tie, value
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::timestamptz[], $5::integer[]) v (device_id, path, value, at, tie)
  ON CONFLICT DO NOTHING`;

const bareTables = `
  CREATE TABLE bare (device_id text, path text, value bytea, content_type text, at timestamptz,
    expires_at timestamptz, epoch bigint, sequence bigint, PRIMARY KEY (device_id, path)) WITH (fillfactor = 80);
  CREATE TABLE bare_history (resource_id bigint, at timestamptz, tie integer, value bytea, PRIMARY KEY (resource_id, at, tie))`;

/** The reference: batches of rows that were made beforehand, written one statement after another. */
const bare = async (client: pg.Client, first: number, history: boolean) => {
  const batches = Array.from({ length: perRound / bareBatch }, (_, batch) => {
    const rows = Array.from({ length: bareBatch }, (_, n) =>
      value(batch * bareBatch + n, first + Math.floor((batch * bareBatch + n) / resources), ''),
    );
    const columns = {
      device: rows.map((r) => r.deviceId),
      path: rows.map((r) => r.item.path),
      payload: rows.map((r) => Buffer.from(r.item.payload, 'base64')),
      type: rows.map((r) => r.item.ct),
      at: rows.map((r) => r.observedAt),
      epoch: rows.map((r) => r.epoch),
      sequence: rows.map((r) => r.sequence),
    };
    const { device, path, payload, type, at, epoch, sequence } = columns;
    return { last: [device, path, payload, type, at, at, epoch, sequence], all: [device, path, payload, at, sequence] };
  });
  const startedAt = performance.now();
  for (const { last, all } of batches) {
    await client.query(bareSql, last);
    if (history) await client.query(bareHistorySql, all);
  }
  return (perRound / (performance.now() - startedAt)) * 1_000;
};

export const snapshot: Bench = {
  about: `${perRound} values of ${resources} resources out of a full topic into PostgreSQL, without and with their history, beside the same rows by pg alone`,
  replicas: only({ snapshot: 1 }),
  async run({ system, rounds, say }) {
    const client = new pg.Client({ connectionString: system.infrastructureUrls.databaseUrl });
    await client.connect();
    await client.query(bareTables);
    await system.producer.send(AccessAccounts, {
      accountId: accounts.without,
      tier: 'commercial',
      status: 'active',
      autoCreateDevices: false,
      valueHistory: { hours: 0, values: 1 },
      changedAt: new Date().toISOString(),
    });
    /** Writes values with the sequences from `first` on; returns the last of them. */
    const fill = async (first: number, accountId: string) => {
      for (let n = 0; n < perRound; n += producedAtOnce)
        await Promise.all(
          Array.from({ length: producedAtOnce }, (_, i) => {
            const fact = value(n + i, first + Math.floor((n + i) / resources), accountId);
            return system.producer.sendEncoded(DeviceValues, encodeMessage(DeviceValues, fact, { source: 'bench' }));
          }),
        );
      return first + perRound / resources - 1;
    };
    const count = async (sql: string, parameters: unknown[] = []): Promise<number> =>
      (await client.query(`SELECT count(*)::int AS n FROM ${sql}`, parameters)).rows[0].n;
    const written = async (last: number, kept: number) =>
      (await count('snapshot.resources WHERE reported_sequence >= $1', [last])) === resources &&
      (await count('snapshot.value_history')) === kept;
    let filled = 0;
    let kept = 0;
    const measure = async (history: keyof typeof accounts) => {
      system.signal('snapshot-0', 'SIGSTOP');
      const first = filled++ * (perRound / resources) + 1;
      const last = await fill(first, accounts[history]);
      if (history === 'with') kept += perRound;
      const startedAt = performance.now();
      system.signal('snapshot-0', 'SIGCONT');
      while (!(await written(last, kept))) {
        if (performance.now() - startedAt > 120_000) throw new Error('values are missing');
        await sleep(100);
      }
      const rate = (perRound / (performance.now() - startedAt)) * 1_000;
      return { rate, bareRate: await bare(client, first, history === 'with') };
    };
    const rates = { with: [] as number[], without: [] as number[] };
    const bareRates = { with: [] as number[], without: [] as number[] };
    for (let n = 0; n <= rounds; n++)
      for (const history of ['without', 'with'] as const) {
        const { rate, bareRate } = await measure(history);
        say(
          `${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}, ${history} history: ${Math.round(rate)}/s, pg alone ${Math.round(bareRate)}/s`,
        );
        if (n === 0) continue;
        rates[history].push(rate);
        bareRates[history].push(bareRate);
      }
    const { rows } = await client.query(
      `SELECT (pg_total_relation_size('snapshot.resources') + pg_total_relation_size('snapshot.devices'))::float8 AS bytes,
         (SELECT sum(pg_column_size(r.*)) FROM snapshot.resources r)::float8 AS row_bytes,
         (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('snapshot.value_history') WHERE isleaf)::float8 AS history_bytes`,
    );
    await client.end();
    return {
      values_per_second: round(median(rates.without)),
      bare_values_per_second: round(median(bareRates.without)),
      values_ratio: round(median(rates.without) / median(bareRates.without)),
      history_values_per_second: round(median(rates.with)),
      bare_history_values_per_second: round(median(bareRates.with)),
      history_values_ratio: round(median(rates.with) / median(bareRates.with)),
      bytes_per_kept_value_on_disk: round(rows[0].history_bytes / kept),
      bytes_per_resource_row: round(rows[0].row_bytes / resources),
      bytes_per_device_of_10_resources_on_disk: round(rows[0].bytes / devices),
    };
  },
};
