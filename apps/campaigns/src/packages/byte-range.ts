/** One range of bytes; `end` is the last one. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The range of a Range header (RFC 9110 §14.2). undefined: the whole, also for several ranges and other units, which a
 * server may ignore. `unsatisfiable`: the range begins after the end.
 */
export const rangeOf = (header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined => {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return end < start ? undefined : { start, end };
};
