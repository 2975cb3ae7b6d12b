import { expect, it } from '@jest/globals';
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { ReadingAgain } from './reading-again.ts';

const lists = ['devices', 'pages'];

/** Longer than a test takes. */
const neverMs = 600_000;

/** Turns of the event loop: more than what is waited for takes. */
const turnsMax = 100_000;

const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < turnsMax && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A list in sight that has these pages; those that it asks for arrive when the test lets them. */
const listOf = (pages: readonly number[]) => {
  const client = new QueryClient();
  if (pages.length > 0) client.setQueryData(lists, { pages, pageParams: pages });
  const onTheirWay: (() => void)[] = [];
  const list = new InfiniteQueryObserver(client, {
    queryKey: lists,
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      new Promise<number>((resolve) => {
        onTheirWay.push(() => resolve(pageParam));
      }),
    getNextPageParam: (last: number) => last + 1,
    staleTime: Infinity,
  });
  const leave = list.subscribe(() => undefined);
  return {
    client,
    list,
    onTheirWay,
    arrive: (): void => onTheirWay.splice(0).forEach((page) => page()),
    shown: (): readonly number[] => client.getQueryData<InfiniteData<number>>(lists)?.pages ?? [],
    close: (): void => {
      leave();
      client.clear();
    },
  };
};

it('does not give up a page that is on its way', async () => {
  const { client, list, onTheirWay, arrive, shown, close } = listOf([0]);
  const again = new ReadingAgain(client, lists, neverMs);
  void list.fetchNextPage();
  await until(() => onTheirWay.length > 0);
  again.now();
  arrive();
  await until(() => shown().length > 1);
  expect(shown()).toEqual([0, 1]);
  again.stop();
  close();
});

it('reads again as soon as what was on its way has arrived', async () => {
  const { client, onTheirWay, arrive, shown, close } = listOf([]);
  const again = new ReadingAgain(client, lists, 1);
  await until(() => onTheirWay.length > 0);
  again.now();
  expect(onTheirWay).toHaveLength(1);
  arrive();
  await until(() => onTheirWay.length > 0);
  expect(shown()).toEqual([0]);
  expect(onTheirWay).toHaveLength(1);
  again.stop();
  close();
});

it.each([
  [1, 1],
  [2, 1],
  [3, 0],
])('of %i pages it asks for %i at first: long lists are not read again', async (pages, asked) => {
  const { client, onTheirWay, close } = listOf([...Array(pages).keys()]);
  new ReadingAgain(client, lists, neverMs).now();
  await until(() => onTheirWay.length > 0);
  expect(onTheirWay).toHaveLength(asked);
  close();
});
