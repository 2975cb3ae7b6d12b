/** Values a second out of a full topic into PostgreSQL, beside the same rows written by pg alone. */
import { sleep } from '../../tools/lanyard/project.ts';
import { DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import pg from 'pg';
import { median, round } from '../statistics.ts';
import type { Bench } from '../benches.ts';

const devices = 2_000;
const resourcesEach = 10;
const resources = devices * resourcesEach;
const perRound = 200_000;
const producedAtOnce = 10_000;
const bareBatch = 1_000;

/** Of `system`: none but one snapshot service. */
const snapshotOnly = {
  gateway: 0,
  registry: 0,
  'device-proxy': 0,
  snapshot: 1,
  'event-log': 0,
  dispatcher: 0,
  campaigns: 0,
};

const ids = Array.from({ length: devices }, () => newId());
const accountId = newId();

const value = (n: number, sequence: number) => {
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

/** The reference: batches of rows that are made already, one statement after the other. */
const bare = async (client: pg.Client, first: number) => {
  const batches = Array.from({ length: perRound / bareBatch }, (_, batch) => {
    const rows = Array.from({ length: bareBatch }, (_, n) =>
      value(batch * bareBatch + n, first + Math.floor((batch * bareBatch + n) / resources)),
    );
    return [
      rows.map((r) => r.deviceId),
      rows.map((r) => r.item.path),
      rows.map((r) => Buffer.from(r.item.payload, 'base64')),
      rows.map((r) => r.item.ct),
      rows.map((r) => r.observedAt),
      rows.map((r) => r.observedAt),
      rows.map((r) => r.epoch),
      rows.map((r) => r.sequence),
    ];
  });
  const startedAt = performance.now();
  for (const batch of batches) await client.query(bareSql, batch);
  return (perRound / (performance.now() - startedAt)) * 1_000;
};

export const snapshot: Bench = {
  about: `${perRound} values of ${resources} resources out of a full topic into PostgreSQL, beside the same rows by pg alone`,
  replicas: snapshotOnly,
  async run({ system, rounds, say }) {
    const client = new pg.Client({ connectionString: system.engineUrls.databaseUrl });
    await client.connect();
    await client.query(`CREATE TABLE bare (device_id text, path text, value bytea, content_type text, at timestamptz,
      expires_at timestamptz, epoch bigint, sequence bigint, PRIMARY KEY (device_id, path)) WITH (fillfactor = 80)`);
    /** Values with the sequences from `first` on; answers the last of them. */
    const fill = async (first: number) => {
      for (let n = 0; n < perRound; n += producedAtOnce)
        await Promise.all(
          Array.from({ length: producedAtOnce }, (_, i) =>
            system.producer.sendEncoded(
              DeviceValues,
              encodeMessage(DeviceValues, value(n + i, first + Math.floor((n + i) / resources)), { source: 'bench' }),
            ),
          ),
        );
      return first + perRound / resources - 1;
    };
    const written = async (last: number) => {
      const { rows } = await client.query(
        'SELECT count(*)::int AS n FROM snapshot.resources WHERE reported_sequence >= $1',
        [last],
      );
      return rows[0].n === resources;
    };
    const ours: number[] = [];
    const alone: number[] = [];
    for (let n = 0; n <= rounds; n++) {
      system.signal('snapshot-0', 'SIGSTOP');
      const first = n * (perRound / resources) + 1;
      const last = await fill(first);
      const startedAt = performance.now();
      system.signal('snapshot-0', 'SIGCONT');
      while (!(await written(last))) {
        if (performance.now() - startedAt > 120_000) throw new Error('values are missing');
        await sleep(100);
      }
      const rate = (perRound / (performance.now() - startedAt)) * 1_000;
      const bareRate = await bare(client, first);
      say(
        `${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: ${Math.round(rate)}/s, pg alone ${Math.round(bareRate)}/s`,
      );
      if (n === 0) continue;
      ours.push(rate);
      alone.push(bareRate);
    }
    const { rows } = await client.query(
      `SELECT (pg_total_relation_size('snapshot.resources') + pg_total_relation_size('snapshot.devices'))::float8 AS bytes,
         (SELECT sum(pg_column_size(r.*)) FROM snapshot.resources r)::float8 AS row_bytes`,
    );
    await client.end();
    return {
      values_per_second: round(median(ours)),
      bare_values_per_second: round(median(alone)),
      values_ratio: round(median(ours) / median(alone)),
      bytes_per_resource_row: round(rows[0].row_bytes / resources),
      bytes_per_device_of_10_resources_on_disk: round(rows[0].bytes / devices),
    };
  },
};
