import { createHash } from 'node:crypto';

/** Name of a prepared statement: the same for one text among all users of a connection. */
export const statementName = (text: string): string =>
  `lanyard_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
