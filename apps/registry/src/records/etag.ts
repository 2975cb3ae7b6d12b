import { isoTime } from '@lanyard/service';

/** SQL of the column `etag` of a record; the caller reads it with the row locked. */
export const etagColumn = `${isoTime('updated_at')} AS etag`;
