/**
 * SQL for `ANY` of the texts in an array parameter, as in `id = ${anyOf('$1')}`, for statements that are planned once.
 * The number of texts is hidden from PostgreSQL: if it sees the array, it considers a generic plan more expensive than
 * one for this number, and plans the statement each time.
 */
export const anyOf = (parameter: `$${number}`): string => `ANY(ARRAY(SELECT unnest(${parameter}::text[])))`;
