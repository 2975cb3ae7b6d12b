/**
 * SQL: one of the texts in a parameter, for statements that are planned once. How many there are is hidden from PostgreSQL:
 * of an array that it sees it takes a plan for any number to be dearer than one for this number, and makes a new one each time.
 */
export const anyOf = (parameter: `$${number}`): string => `ANY(ARRAY(SELECT unnest(${parameter}::text[])))`;
