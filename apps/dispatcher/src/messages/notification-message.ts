import type { Category } from '@lanyard/contracts';

const closing = Buffer.from(']}');
const comma = Buffer.from(',');

/** One message for the customer (spec §6.1): the events of one category. `pieces` hold events joined by commas. */
export const notificationMessage = (category: Category, pieces: readonly Buffer[]): Buffer => {
  const parts: Buffer[] = [Buffer.from(`{"${category}":[`)];
  pieces.forEach((piece, n) => parts.push(...(n === 0 ? [piece] : [comma, piece])));
  parts.push(closing);
  return Buffer.concat(parts);
};
