/**
 * The least work for a registration and an update: `libs/coap` reads them, Redis stores the session, and Kafka the fact, in
 * batches of 10 ms as in a device-proxy; then the device is answered. No directory, credential, epoch, owner or rule is checked.
 *
 *   node bench/devices/bare-registrar.ts REDIS_URL BROKERS TOPIC
 *
 * Says `ready PORT`. Each line on standard input is answered with the seconds of CPU time used so far.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Code, type CoapRequest, type CoapResponse, CoapUdpEndpoint } from '@lanyard/coap';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import { Redis } from 'ioredis';

const [redisUrl = '', brokers = '', topic = ''] = process.argv.slice(2);
const batchMs = 10;

const redis = new Redis(redisUrl);
const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
const kafka = new KafkaConnection({ brokers: brokers.split(','), clientId: 'bare', logger });
const producer = new KafkaProducer(kafka, { source: 'bench', paceMs: batchMs });
await producer.connect();

interface Session {
  name: string;
  links: string;
}

const sessions = new Map<string, Session>();
const store = `
for n = 1, #ARGV, 5 do
  redis.call('HSET', 'session:' .. ARGV[n], 'address', ARGV[n + 1], 'heard', ARGV[n + 2], 'expires', ARGV[n + 3])
  if ARGV[n + 4] ~= '' then
    redis.call('HSET', 'session:' .. ARGV[n], 'data', ARGV[n + 4])
    redis.call('HSET', 'index', ARGV[n], ARGV[n + 1], ARGV[n + 1], ARGV[n])
  end
  redis.call('ZADD', 'expiry', ARGV[n + 3], ARGV[n])
end
return 1`;
const sha = String(await redis.script('LOAD', store));

/** One script for all messages that arrived within the time of a batch. */
let batch: { args: (string | number)[]; stored: Promise<unknown> } | undefined;
/** Resolves once Redis has the row: id, address, time, end of the lifetime, and a new session as JSON or ''. */
const stored = (...row: (string | number)[]) => {
  if (!batch) {
    const args: (string | number)[] = [];
    const due = new Promise((resolve) => setTimeout(resolve, batchMs));
    batch = { args, stored: due.then(() => ((batch = undefined), redis.evalsha(sha, 0, ...args))) };
  }
  batch.args.push(...row);
  return batch.stored;
};

const announced = (id: string, { name, links }: Session, change: string, address: string) => {
  const fact = { change, endpointName: name, sessionId: id, address, links, occurredAt: new Date().toISOString() };
  return producer.sendTo(topic, {
    key: name,
    value: Buffer.from(JSON.stringify(fact)),
    headers: { ce_specversion: '1.0', ce_id: randomUUID(), ce_source: 'bench', ce_type: topic },
  });
};

const onRequest = async ({ path, query, payload, peer }: CoapRequest): Promise<CoapResponse> => {
  const known = sessions.get(path[1] ?? '');
  if (path.length > 1 && !known) return { code: Code.NotFound };
  const id = path[1] ?? randomUUID();
  const parameters = new Map(query.map((part) => part.split('=', 2) as [string, string]));
  const session = known ?? { name: parameters.get('ep') ?? '', links: payload.toString() };
  const now = Date.now();
  const address = String(peer.key);
  if (!known) {
    sessions.set(id, session);
    endpoint.keepPeer(peer);
  }
  await stored(
    id,
    peer.key,
    now,
    now + Number(parameters.get('lt') ?? 60) * 1_000,
    known ? '' : JSON.stringify(session),
  );
  await announced(id, session, known ? 'updated' : 'registered', address);
  return known ? { code: Code.Changed } : { code: Code.Created, locationPath: ['rd', id] };
};

const endpoint = new CoapUdpEndpoint({ host: '127.0.0.1', onRequest });
process.stdout.write(`ready ${(await endpoint.listen()).port}\n`);
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${(user + system) / 1e6}\n`);
}
