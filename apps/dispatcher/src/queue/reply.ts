import type { Reply } from './redis-link.js';

export const asText = (reply: Reply | string | undefined): string =>
  reply === null || reply === undefined ? '' : Buffer.isBuffer(reply) ? reply.toString() : String(reply);

export const asNumber = (reply: Reply | undefined): number => Number(asText(reply));

export const asList = (reply: Reply): Reply[] => (Array.isArray(reply) ? reply : [reply]);

/** Replies of the form [a, b, a, b, ...]. */
export const asPairs = (replies: readonly (Reply | string)[]): [string, string][] => {
  const pairs: [string, string][] = [];
  for (let n = 0; n + 1 < replies.length; n += 2) pairs.push([asText(replies[n]), asText(replies[n + 1])]);
  return pairs;
};
