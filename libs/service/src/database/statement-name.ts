import { createHash } from 'node:crypto';

/** Name of a prepared statement: all who share a connection give one text the same. */
export const statementName = (text: string): string =>
  `lanyard_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
