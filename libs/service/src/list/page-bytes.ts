/** Size of the large members on a page: beyond it, the page has fewer items than its limit, and the list has more. */
export const pageBytesMax = 4 * 1_048_576;

/** The first rows, with at most `pageBytesMax` bytes together, but at least one row. */
export const withinPage = <T extends { bytes: number }>(rows: readonly T[]): readonly T[] => {
  let bytes = 0;
  const end = rows.findIndex((row, n) => (bytes += row.bytes) > pageBytesMax && n > 0);
  return end < 0 ? rows : rows.slice(0, end);
};
