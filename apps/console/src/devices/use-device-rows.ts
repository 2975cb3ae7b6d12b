import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { rowOf } from './columns.ts';
import { livePagesMax, ReadingAgain } from './reading-again.ts';
import type { DeviceSearch } from './search.ts';

/** The first page is short; later ones are as long as the service allows: a list of 100,000 devices takes a hundred calls. */
const firstPageRows = 250;
const pageRows = 1_000;

const liveEveryMs = 1_000;

/** Without the stream of events, which may be interrupted or not permitted, the list is read again this often. */
const pollMs = 10_000;

const list = 'GET /v3/devices';

/** The beginning of the query keys of all searches. */
const lists = [list, 'pages'];

/**
 * The devices that the search finds, page after page, and their total. Events bring the first pages up to date. Until a
 * search is answered, the devices of the one before it are still shown.
 */
export const useDeviceRows = ({ packed, newestFirst }: Pick<DeviceSearch, 'packed' | 'newestFirst'>) => {
  const client = useQueryClient();
  const key = [...lists, packed, newestFirst];
  const [readingAgain] = useState(() => new ReadingAgain(client, lists, liveEveryMs));
  useEffect(() => () => readingAgain.stop(), [readingAgain]);
  const live = useLiveEvents(() => readingAgain.soon());
  const {
    data,
    error,
    refetch,
    fetchNextPage,
    isPlaceholderData: isOfOtherSearch,
  } = useInfiniteQuery({
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
    refetchInterval: ({ state }) => live !== 'live' && (state.data?.pages.length ?? 0) <= livePagesMax && pollMs,
    placeholderData: (before) => before,
    // Comparing all pages for each new one takes longer than a frame.
    structuralSharing: false,
  });
  const pages = data?.pages ?? [];
  // The stream begins after the list was read, so the list is read again for the changes in between.
  useEffect(() => {
    if (live === 'live') readingAgain.now();
  }, [live, readingAgain]);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  // Waits for a page that is being read, instead of requesting it again.
  const readOn = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  // Returns no more of the query: components that use all of it are rendered for each request that begins.
  return { rows, total: pages[0]?.total, isOfOtherSearch, error, refetch, readOn };
};
