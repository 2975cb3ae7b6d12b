import type { DeviceEvent } from '@lanyard/client/browser';
import { useEffect, useState } from 'react';
import { useLiveEvents } from './live-events.ts';
import { useRead } from './queries.ts';

/** The newest entries of the event log, and those that arrive meanwhile; of one device, or of all. */
export const useNewestEvents = (limit: number, shownMax: number, deviceId?: string) => {
  const [arrived, setArrived] = useState<DeviceEvent[]>([]);
  const live = useLiveEvents((event) => {
    if (deviceId === undefined || event.device_id === deviceId)
      setArrived((before) => [event, ...before].slice(0, shownMax));
  });
  const filter = deviceId !== undefined && { filter: `device_id=${deviceId}` };
  const { data, error, refetch } = useRead('GET /v3/device-events', { query: { ...filter, order: 'DESC', limit } });
  // The stream begins later than the list was read. Entries of the time between are in a list that is read after it began.
  useEffect(() => {
    if (live === 'live') void refetch();
  }, [live, refetch]);
  const known = new Set(arrived.map(({ id }) => id));
  const events = data && [...arrived, ...data.data.filter(({ id }) => !known.has(id))].slice(0, shownMax);
  return { data: events, live, error, refetch };
};
