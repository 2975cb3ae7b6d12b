import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';

/** Further pages are not read again whenever something happens. */
export const livePagesMax = 2;

const pagesOf = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0;

/** Reads the lists in sight again after something has happened. */
export class ReadingAgain {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `lists`: what their keys begin with. `everyMs`: the time from the first event to the read. */
  constructor(
    private readonly client: QueryClient,
    private readonly lists: QueryKey,
    private readonly everyMs: number,
  ) {}

  soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.now();
    }, this.everyMs);
  }

  /**
   * Or as soon as what is being read has arrived. Reading again would give that up: while events arrive all the time, a
   * page that takes longer than the time between two reads would never be shown.
   */
  now(): void {
    const { client, lists: queryKey } = this;
    if (client.isFetching({ queryKey, type: 'active' }) > 0) return this.soon();
    void client.invalidateQueries({ queryKey, predicate: ({ state }) => pagesOf(state.data) <= livePagesMax });
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
