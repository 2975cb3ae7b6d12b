import { isoTime } from '@lanyard/service';

/** SQL of a record's etag; the caller reads it with the row locked. */
export const etagOf = `${isoTime('updated_at')} AS etag`;
