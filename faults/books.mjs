/** I9: the counters of every queue against a full scan of what is in Redis, in one step. */
import { Redis } from 'ioredis';

const eventCost = 60;

/** Chunks begin with u8 category, u32 count, f64 time of the youngest event. */
const scan = `
local prefix = ARGV[1]
local report = {}
local function number(key, name) return tonumber(redis.call('HGET', key, name) or '') or 0 end
for _, key in ipairs(redis.call('KEYS', prefix .. '*}:m:*')) do
  local base, channel = string.match(key, '^(.*}:)m:(.*)$')
  local events, cost, first = 0, 0, false
  for _, chunk in ipairs(redis.call('LRANGE', base .. 'q:' .. channel, 0, -1)) do
    local _, count, at = struct.unpack('>BI4d', chunk)
    first = first or at
    events, cost = events + count, cost + #chunk + count * ${eventCost}
  end
  local owner = redis.call('HGET', key, 'owner') or ''
  local account = redis.call('HGET', key, 'account') or ''
  report[#report + 1] = cjson.encode({
    channel = channel, owner = owner, kind = redis.call('HGET', key, 'kind') or '',
    n = number(key, 'n'), skip = number(key, 'skip'), bytes = number(key, 'bytes'), head = number(key, 'head'),
    headAt = number(key, 'headAt'), events = events, cost = cost, first = first or 0,
    dropped = number(key, 'droppedSize') + number(key, 'droppedAge') + number(key, 'droppedFailed'),
    ready = redis.call('ZSCORE', base .. 'ready', channel) or '',
    held = (owner == '' or redis.call('ZSCORE', base .. 'held', owner .. ' ' .. channel)) and 1 or 0,
    -- One that ended has no account any more, until what it held is settled.
    known = account == '' and 1 or redis.call('SISMEMBER', prefix .. 'account:' .. account, channel),
  })
end
return report
`;

/**
 * @typedef {{
 *   channel: string, owner: string, kind: string, n: number, skip: number, bytes: number, head: number, headAt: number,
 *   events: number, cost: number, first: number, dropped: number, ready: string, held: number, known: number,
 * }} Page
 */

/** @param {Page} page @returns {string[]} */
const faultsOf = ({ channel, owner, kind, n, skip, bytes, headAt, events, cost, first, ready, held, known }) => {
  /** @type {string[]} */
  const problems = [];
  const say = (/** @type {string} */ text) => problems.push(`I9 ${kind} ${channel}: ${text}`);
  if (n !== events - (events > 0 ? skip : 0)) say(`n is ${n}, the list has ${events} less ${skip}`);
  if (bytes !== cost) say(`bytes is ${bytes}, the list costs ${cost}`);
  if (events > 0 && headAt !== first) say(`headAt is ${headAt}, the first chunk says ${first}`);
  if (held === 0) say(`${owner} has it, but it is not among what it holds`);
  if (known === 0) say('its account does not know it');
  if (kind === 'callback' && n > 0 && owner === '' && ready === '')
    say('it has events, nobody has it, and it is not due');
  return problems;
};

export class Books {
  /** @param {number} port @param {string} prefix */
  constructor(port, prefix) {
    this.prefix = prefix;
    this.redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 3, retryStrategy: () => 200 });
    this.redis.on('error', () => undefined);
  }

  /** @returns {Promise<Page[]>} */
  async read() {
    const pages = /** @type {string[]} */ (await this.redis.eval(scan, 0, this.prefix));
    return pages.map((page) => JSON.parse(page));
  }

  async audit() {
    const pages = await this.read();
    return { pages, problems: pages.flatMap(faultsOf) };
  }

  close() {
    this.redis.disconnect();
  }
}
