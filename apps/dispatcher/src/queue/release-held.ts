import { channelIn, rangeOf, type ShardKeys } from './keys.js';
import type { RedisLink } from './redis-link.js';
import { asList, asText } from './reply.js';

/** Channels released by one command, which must not delay others for long. */
const atOnce = 500;

/** Releases the channels that a replica holds in one shard. Returns those held by its sockets. */
export const releaseHeld = async (
  link: RedisLink,
  shard: ShardKeys,
  owner: string,
  nowMs: number,
): Promise<string[]> => {
  const held = (await link.redis.zrangebylex(shard.held, ...rangeOf(owner))).map((member) => channelIn(member));
  const sockets: string[] = [];
  let first = 0;
  do {
    const channelIds = held.slice(first, first + atOnce);
    const reply = await link.run('release-held', shard.forCommand(...channelIds), [owner, nowMs, ...channelIds]);
    sockets.push(...asList(reply).map((channelId) => asText(channelId)));
    first += atOnce;
  } while (first < held.length);
  return sockets;
};
