import { channelIn, rangeOf, type ShardKeys } from './keys.js';
import type { RedisLink } from './redis-link.js';
import { asList, asText } from './reply.js';

/** Channels freed by one command: no other waits long for it. */
const atOnce = 500;

/** Frees what a replica holds in one shard. Gives the channels whose sockets went with it. */
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
    const reply = await link.run('bury', shard.forCommand(...channelIds), [owner, nowMs, ...channelIds]);
    sockets.push(...asList(reply).map((channelId) => asText(channelId)));
    first += atOnce;
  } while (first < held.length);
  return sockets;
};
