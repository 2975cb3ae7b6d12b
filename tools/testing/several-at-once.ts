/** Calls `work` for each item, for so many of them at the same time. */
export const severalAtOnce = async <Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
) => {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++] as Item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};
