/**
 * Webhooks as an application would build them from packages: a kafkajs consumer adds a BullMQ job for each event, and
 * commits its offset once Redis has all jobs of the batch; a worker sends each event with undici, and retries.
 *
 *   node bench/peers/bullmq.ts BROKERS TOPIC REDIS_URL RECEIVER_URL shared|ordered KEY_ID...
 *
 * `shared`: one queue, with 64 jobs at a time. `ordered`: a queue for each key, with one job each at a time. Events
 * of the n-th key are sent to RECEIVER_URL/n. Says `ready` when it has read from its partitions.
 */
import { type Job, Queue, Worker } from 'bullmq';
import kafkajs from 'kafkajs';
import { Agent, request } from 'undici';

const [brokers = '', topic = '', url = '', receiver = '', mode = '', ...keyIds] = process.argv.slice(2);
const jobsAtOnce = 64;
const timeoutMs = 20_000;
/** Like the dispatcher: after 1, 2, 4 … seconds. */
const retries = { attempts: 20, backoff: { type: 'exponential', delay: 1_000 } };

const isShared = mode === 'shared';
const concurrency = isShared ? jobsAtOnce : 1;
const connection = { url, maxRetriesPerRequest: null };
const agent = new Agent({ connections: jobsAtOnce, pipelining: 1 });

interface Event {
  channel: number;
  item: unknown;
}

const deliver = async ({ data: { channel, item } }: Job<Event>) => {
  const { statusCode, body } = await request(`${receiver}/${channel}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notifications: [item] }),
    dispatcher: agent,
    signal: AbortSignal.timeout(timeoutMs),
  });
  await body.dump();
  if (statusCode !== 200 && statusCode !== 204) throw new Error(`answered with ${statusCode}`);
};

const channels = new Map(keyIds.map((keyId, n) => [keyId, n]));
const queues = (isShared ? [topic] : keyIds.map((keyId) => `${topic}-${keyId}`)).map((name) => {
  const worker = new Worker(name, deliver, { connection, concurrency });
  worker.on('error', (error) => process.stderr.write(`${name}: ${error.message}\n`));
  return new Queue<Event>(name, { connection, defaultJobOptions: { ...retries, removeOnComplete: true } });
});

/** The jobs of a batch, by queue. A message that is read again has the same job ids. */
const jobsOf = ({ messages, partition }: kafkajs.Batch) => {
  const jobs = queues.map(() => [] as { name: string; data: Event; opts: { jobId: string } }[]);
  for (const { value, offset } of messages) {
    const { item, audience } = JSON.parse(String(value)) as { item: unknown; audience: string[] };
    for (const keyId of audience) {
      const channel = channels.get(keyId);
      if (channel === undefined) continue;
      const opts = { jobId: `${partition}-${offset}-${channel}` };
      jobs[isShared ? 0 : channel]?.push({ name: 'event', data: { channel, item }, opts });
    }
  }
  return jobs;
};

const kafka = new kafkajs.Kafka({ clientId: 'bullmq', brokers: brokers.split(','), logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({ groupId: topic, maxWaitTimeInMs: 250 });
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
const hasRead = consumer.on(consumer.events.FETCH, () => {
  hasRead();
  process.stdout.write('ready\n');
});
await consumer.run({
  partitionsConsumedConcurrently: 16,
  // kafkajs commits when this resolves.
  eachBatch: async ({ batch }) => {
    const jobs = jobsOf(batch);
    await Promise.all(queues.map((queue, n) => queue.addBulk(jobs[n] ?? [])));
  },
});
