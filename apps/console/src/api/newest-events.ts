import type { AnswerOf, DeviceEvent } from '@lanyard/client/browser';
import { useEffect, useState } from 'react';
import { useLiveEvents } from './live-events.ts';
import { useRead } from './queries.ts';

const list = 'GET /v3/device-events';

type Page = Pick<AnswerOf<typeof list>, 'data' | 'has_more'>;

interface NewestEvents {
  /** Number of entries to read. */
  limit: number;
  /** The most entries to show, including those that arrive meanwhile. */
  shownMax: number;
  /** By default, entries of all devices. */
  deviceId?: string;
  /** Shows the page after this entry instead. */
  after?: string | undefined;
}

/** The newest entries of the event log, and those that arrive meanwhile; or a page of older ones. */
export const useNewestEvents = ({ limit, shownMax, deviceId, after }: NewestEvents) => {
  const [arrived, setArrived] = useState<DeviceEvent[]>([]);
  const live = useLiveEvents(
    (event) => {
      if (deviceId === undefined || event.device_id === deviceId)
        setArrived((before) => [event, ...before].slice(0, shownMax));
    },
    // The list is read again from its newest entry. Those before the gap would stand above it.
    () => setArrived([]),
  );
  const filter = deviceId !== undefined && { filter: `device_id=${deviceId}` };
  const query = { ...filter, order: 'DESC' as const, limit, ...(after !== undefined && { after }) };
  const { data: page, error, refetch, isPlaceholderData } = useRead(list, { query }, { keeps: true });
  // The stream begins after the list was read. Reading the list again once it has begun finds the entries in between.
  useEffect(() => {
    if (live === 'live') void refetch();
  }, [live, refetch]);
  const withArrived = ({ data, has_more: hasMore }: Page): Page => {
    const known = new Set(arrived.map(({ id }) => id));
    const all = [...arrived, ...data.filter(({ id }) => !known.has(id))];
    return { data: all.slice(0, shownMax), has_more: hasMore || all.length > shownMax };
  };
  // New entries belong on top of the newest page only. While that page is being read, the page before it is still shown.
  const isNewest = after === undefined && !isPlaceholderData;
  const data: Page | undefined = page && (isNewest ? withArrived(page) : page);
  return { data, live, error, refetch, isPlaceholderData };
};
