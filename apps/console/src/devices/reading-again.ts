import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';

/** Only this many pages are read again when something happens. */
export const livePagesMax = 2;

const pagesOf = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0;

/** Reads the visible lists again after something has happened. */
export class ReadingAgain {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `lists`: the beginning of their query keys. `everyMs`: the time from the first event to the read. */
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
   * Reads now, or as soon as a read that has begun is complete. Beginning again would abort that read: while events arrive
   * all the time, a page that takes longer than `everyMs` would never be shown.
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
