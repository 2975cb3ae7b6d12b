/** Repairs the append-only file of a Redis that was killed in the middle of a write. */
import { closeSync, existsSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';

const transactionStart = Buffer.from('*1\r\n$5\r\nMULTI\r\n');
const transactionEnd = Buffer.from('*1\r\n$4\r\nEXEC\r\n');

/** No transaction is larger: one of our commands moves at most 50 MB. */
const tailBytesMax = 128 * 1024 * 1024;

/**
 * Redis drops a torn command, but Redis 6.2 keeps the commands before it that belong to the same, incomplete transaction. A
 * script is one transaction, so some of its effects would appear. Cuts the file before the last transaction if that is
 * incomplete, as `redis-check-aof --fix` does. Returns how many bytes were removed.
 */
export const dropTornTransaction = (path: string) => {
  if (!existsSync(path)) return 0;
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const tail = Buffer.alloc(Math.min(size, tailBytesMax));
  readSync(file, tail, 0, tail.length, size - tail.length);
  closeSync(file);
  const start = tail.lastIndexOf(transactionStart);
  if (start < 0 || tail.indexOf(transactionEnd, start) >= 0) return 0;
  const keptBytes = size - tail.length + start;
  truncateSync(path, keptBytes);
  return size - keptBytes;
};
