/** I9: compares the counters of every queue with a full scan of Redis, in one step for each master. */
import { Redis } from 'ioredis';

/** EVENT_COST of the dispatcher (`apps/dispatcher/src/queue/commands/prelude.lua`). */
const eventCost = 60;

/** Whether the account of a channel lists it: 0, 1, or -1 when this node cannot tell. */
const knownHere = `
local function known(account, channel)
  local found = redis.pcall('SISMEMBER', ARGV[1] .. 'account:' .. account, channel)
  return type(found) == 'number' and found or -1
end
`;

/** Chunks begin with u8 category, u32 count, f64 time of the youngest event. */
const scan = `
${knownHere}local prefix = ARGV[1]
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
    -- A channel that ended has no account any more, and is removed once what it held is settled.
    -- In a cluster another node may have the account.
    known = account == '' and 1 or known(account, channel), account = account,
  })
end
return report
`;

/**
 * A channel and its queue in Redis. `n`, `skip`, `bytes`, `head`, `headAt`: the counters; `events`, `cost`, `first`:
 * the result of the scan of its list; `ready`: its score among callbacks that are due, or ''; `held`: 0 if the owner
 * does not list the channel; `known`: as `known` returns it in Lua
 */
interface QueueState {
  channel: string;
  owner: string;
  kind: string;
  n: number;
  skip: number;
  bytes: number;
  head: number;
  headAt: number;
  events: number;
  cost: number;
  first: number;
  dropped: number;
  ready: string;
  held: number;
  known: number;
  account: string;
}

const faultsOf = ({
  channel,
  owner,
  kind,
  n,
  skip,
  bytes,
  headAt,
  events,
  cost,
  first,
  ready,
  held,
  known,
}: QueueState): string[] => {
  const problems: string[] = [];
  const say = (text: string) => problems.push(`I9 ${kind} ${channel}: ${text}`);
  if (n !== events - (events > 0 ? skip : 0)) say(`n is ${n}, the list has ${events} less ${skip}`);
  if (bytes !== cost) say(`bytes is ${bytes}, the list costs ${cost}`);
  if (events > 0 && headAt !== first) say(`headAt is ${headAt}, the first chunk says ${first}`);
  if (held === 0) say(`${owner} has it, but it is not among what it holds`);
  if (known === 0) say('its account does not know it');
  if (kind === 'callback' && n > 0 && owner === '' && ready === '')
    say('it has events, no replica holds it, and it is not due');
  return problems;
};

const clientOf = (port: number) => {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 3, retryStrategy: () => 200 });
  return client.on('error', () => undefined);
};

export class CounterAudit {
  prefix: string;
  nodes: Redis[];

  /** @param ports of all processes of this Redis */
  constructor(ports: readonly number[], prefix: string) {
    this.prefix = prefix;
    this.nodes = ports.map(clientOf);
  }

  async read(): Promise<QueueState[]> {
    const masters = await this.masters();
    const states = await Promise.all(masters.map((node) => this.readOne(node)));
    for (const state of states.flat()) if (state.known < 0) state.known = await this.isKnown(masters, state);
    return states.flat();
  }

  async masters() {
    if (this.nodes.length === 1) return this.nodes;
    const roles = await Promise.all(this.nodes.map((node) => node.call('ROLE')));
    return this.nodes.filter((_, n) => (roles[n] as string[])[0] === 'master');
  }

  async readOne(node: Redis): Promise<QueueState[]> {
    const states = (await node.eval(scan, 0, this.prefix)) as string[];
    return states.map((state) => JSON.parse(state));
  }

  /** Asks other nodes later than the scan: in rows with several nodes, no channel ends meanwhile. */
  async isKnown(masters: Redis[], { account, channel }: QueueState) {
    const key = `${this.prefix}account:${account}`;
    const answers = await Promise.all(masters.map((node) => node.sismember(key, channel).catch(() => 0)));
    return Math.max(...answers);
  }

  async audit() {
    const states = await this.read();
    return { states, problems: states.flatMap(faultsOf) };
  }

  close() {
    for (const node of this.nodes) node.disconnect();
  }
}
