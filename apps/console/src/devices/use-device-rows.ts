import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { useRefusal } from '../api/permissions.ts';
import { rowOf } from './columns.ts';
import { livePagesMax, ReadingAgain } from './reading-again.ts';
import type { DeviceSearch } from './search.ts';

/** Few for a start, then as many as the service gives: a list of 100,000 is read in a hundred calls. */
const firstPageRows = 250;
const pageRows = 1_000;

const liveEveryMs = 1_000;

/** Without the permission to see events, the list is read again this often. */
const pollMs = 10_000;

const list = 'GET /v3/devices';

/** What the keys of all searches begin with. */
const lists = [list, 'pages'];

/** Devices that the search finds, page after page, and how many there are. Events bring the first pages up to date. */
export const useDeviceRows = ({ packed, newestFirst }: Pick<DeviceSearch, 'packed' | 'newestFirst'>) => {
  const client = useQueryClient();
  const key = [...lists, packed, newestFirst];
  const hasEvents = useRefusal('events.read') === undefined;
  const { data, error, refetch, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal }) => {
      const place = after === undefined ? { limit: firstPageRows, include: 'total_count' } : { limit: pageRows, after };
      const order = newestFirst ? 'DESC' : 'ASC';
      const filter = packed === undefined ? {} : { filter: packed };
      const page = await lanyard.call(list, { query: { order, ...filter, ...place } }, { signal });
      return { rows: page.data.map(rowOf), total: page.total_count, hasMore: page.has_more };
    },
    getNextPageParam: ({ rows, hasMore }) => (hasMore ? rows.at(-1)?.id : undefined),
    refetchInterval: ({ state }) => !hasEvents && (state.data?.pages.length ?? 0) <= livePagesMax && pollMs,
    placeholderData: (before) => before,
    // Comparing all pages with each other for each new one takes longer than a frame.
    structuralSharing: false,
  });
  const pages = data?.pages ?? [];
  const [again] = useState(() => new ReadingAgain(client, lists, liveEveryMs));
  useEffect(() => () => again.stop(), [again]);
  const live = useLiveEvents(() => again.soon());
  // The stream begins later than the list was read: what happened meanwhile is not in it.
  useEffect(() => {
    if (live === 'live') again.now();
  }, [live, again]);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  // One that is being read is waited for.
  const readOn = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  // Nothing else of the query: what uses all of it is rendered for each request that begins.
  return { rows, total: pages[0]?.total, error, refetch, readOn };
};
