/**
 * The minimum for the answers of registry, snapshot and event log: `node:http`, `pg`, and one prepared statement per request on
 * their tables. It knows one account, trusts every request, and leaves out filters, later pages, groups of devices, object
 * models (constants take their place), subscriptions, and everything that follows once an announcement is in the outbox.
 *
 *   node bench/rest/bare-service.ts DATABASE_URL ACCOUNT_ID   says `ready PORT`
 */
import { createServer } from 'node:http';
import { outboxTable } from '@lanyard/kafka';
import { isoTime, jsonRecord } from '@lanyard/service';
import pg from 'pg';
import { sayPort } from '../../tools/testing/program.ts';

const [connectionString = '', accountId = ''] = process.argv.slice(2);

const pool = new pg.Pool({ connectionString, idleTimeoutMillis: 0 });
await pool.query(outboxTable);

const resource = `concat('{"resource_path":"', path, '","object_name":"Temperature","name":"Sensor Value","type":"float",'
  '"operations":"R","subscribed":false,"reported":{"value":"', encode(reported_value, 'base64'),
  '","decoded":', convert_from(reported_value, 'UTF8'), ',"content_type":"', reported_content_type,
  '","reported_at":"', ${isoTime('reported_at')}, '","expires_at":"', ${isoTime('reported_expires_at')}, '"}}')`;

const token = (name: string, sql = name) => ({ name, sql, kind: 'token' as const });
const event = jsonRecord('device-event', [
  token('id'),
  token('device_log_id', 'id'),
  token('device_id'),
  token('date_time', isoTime('date_time')),
  token('created_at', isoTime('created_at')),
  token('etag', isoTime('created_at')),
  token('event_type'),
  token('event_code'),
  token('event_type_category'),
  token('event_type_description'),
  { name: 'description', sql: 'description', kind: 'value' },
  { name: 'state_change', sql: 'to_json(state_change)', kind: 'json' },
  { name: 'changes', sql: 'changes', kind: 'json' },
  { name: 'data', sql: 'data', kind: 'json' },
]);
/** A constant, as in the event log, so that PostgreSQL excludes the partitions of other weeks when it plans. */
const since = new Date(Date.now() - 7 * 86_400_000).toISOString();

/** A change and its announcement in one statement, which waits for the disk only once. */
const transition = (assignments: string) => `
  WITH device AS (
    UPDATE registry.devices SET ${assignments}, updated_at = clock_timestamp(), revision = revision + 1
    WHERE id = $1 AND account_id = $2
    RETURNING id, account_id, endpoint_name, lifecycle_status, operator_suspended, revision, updated_at)
  INSERT INTO outbox_messages (topic, message_key, value, headers)
  SELECT 'device.lifecycle', id, convert_to(row_to_json(device)::text, 'UTF8'), '{}'::jsonb FROM device`;

const statements = {
  get: 'SELECT id, xmin FROM registry.devices WHERE id = $1 AND account_id = $2',
  page: 'SELECT id, xmin FROM registry.devices WHERE account_id = $1 ORDER BY id LIMIT 50',
  records: 'SELECT id, xmin, row_to_json(d)::text FROM registry.devices d WHERE id = ANY($1)',
  echo: `
    SELECT concat('{"object":"device-echo","device_id":"', d.device_id, '","endpoint_name":"', d.endpoint_name,
      '","resources":[', string_agg(${resource}, ','), ']}')
    FROM snapshot.devices d JOIN snapshot.resources r ON r.device_id = d.device_id
    WHERE d.device_id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL GROUP BY d.device_id`,
  events: `
    SELECT concat('{"object":"list","data":[', string_agg(record, ','), ']}') FROM (
      SELECT ${event} AS record FROM event_log.device_events
      WHERE device_id = $1 AND account_id = $2 AND date_time >= '${since}'
      ORDER BY date_time DESC, id DESC LIMIT 20) page`,
  suspend:
    transition(`lifecycle_status = 'blocked', operator_suspended = true, last_operator_suspended_category = 'maintenance',
    last_operator_suspended_description = '', last_operator_suspended_updated_at = clock_timestamp()`),
  resume: transition(
    `operator_suspended = false, lifecycle_status = CASE WHEN system_suspended THEN 'blocked' ELSE 'enabled' END`,
  ),
};

const query = async (name: keyof typeof statements, ...values: unknown[]) => {
  const { rows } = await pool.query({ name, text: statements[name], values, rowMode: 'array' });
  return rows as string[][];
};

const kept = new Map<string, { version: string; text: string }>();

/** Records of these devices and versions. A text is cached until its row changes, as the registry caches those of its pages. */
const recordsOf = async (devices: string[][]) => {
  const changed = devices.flatMap(([id = '', version]) => (kept.get(id)?.version === version ? [] : id));
  if (changed.length > 0)
    for (const [id = '', version = '', text = ''] of await query('records', changed)) kept.set(id, { version, text });
  return devices.map(([id = '']) => kept.get(id)?.text);
};

/** Without a text, the answer is 204. */
const answerTo = async (url: string) => {
  const [path = '', parameters] = url.split('?');
  const [, , kind, id, action] = path.split('/');
  const textOf = async (name: keyof typeof statements, deviceId: string | null | undefined) =>
    (await query(name, deviceId, accountId))[0]?.[0];
  if (kind === 'device-events') return textOf('events', new URLSearchParams(parameters).get('device_id'));
  if (action !== undefined) return textOf(action as 'echo' | 'suspend' | 'resume', id);
  if (id !== undefined) return (await recordsOf(await query('get', id, accountId)))[0];
  return `{"object":"list","data":[${(await recordsOf(await query('page', accountId))).join()}]}`;
};

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  answerTo(request.url ?? '').then(
    (text) => {
      response.statusCode = text === undefined ? 204 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(text);
    },
    (error) => {
      response.statusCode = 500;
      response.end(String(error));
    },
  );
});
server.listen(0, '127.0.0.1', () => sayPort(server));
