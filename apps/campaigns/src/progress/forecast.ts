import type { SelectedDevice } from '@lanyard/contracts';
import type { EntityManager } from 'typeorm';
import type { Forecast } from '../campaigns/campaign-record.js';

type Counts = Omit<Forecast, 'state' | 'message'>;

/** Each device counts once, by what decides first. Whether it is awake goes by the clock of PostgreSQL, as when campaigns run. */
const forecastSql = `
  WITH classes AS (
    SELECT CASE
      WHEN d."lifecycleStatus" = 'blocked' THEN 'suspended'
      WHEN s.firmware_version = $2 AND $3::int = 5 THEN 'up_to_date'
      WHEN EXISTS (SELECT 1 FROM campaigns.campaign_devices o
        WHERE o.device_id = d."deviceId" AND o.state = 'updating') THEN 'busy'
      WHEN NOT s.registered THEN 'not_registered'
      WHEN s.queue_mode AND coalesce(greatest(s.awake_until, g.awake_until) <= now(), true) THEN 'asleep'
      ELSE 'ready' END AS class
    FROM jsonb_to_recordset($1::jsonb) AS d ("deviceId" text, "lifecycleStatus" text)
    JOIN campaigns.device_sessions s ON s.device_id = d."deviceId"
    LEFT JOIN campaigns.device_sessions g ON g.device_id = s.host_gateway)
  SELECT class, count(*)::int AS n FROM classes GROUP BY class`;

/** What would happen to the devices of a page. */
export const forecastOf = async (
  manager: EntityManager,
  devices: readonly SelectedDevice[],
  { version, object }: { version: string; object: number },
): Promise<Counts> => {
  const rows = (await manager.query(forecastSql, [JSON.stringify(devices), version, object])) as {
    class: keyof Counts;
    n: number;
  }[];
  const of = (name: keyof Counts): number => rows.find((row) => row.class === name)?.n ?? 0;
  return {
    devices: devices.length,
    suspended: of('suspended'),
    up_to_date: of('up_to_date'),
    busy: of('busy'),
    not_registered: of('not_registered'),
    asleep: of('asleep'),
    ready: of('ready'),
  };
};
