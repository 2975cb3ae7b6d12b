/**
 * A process that uses Kafka as the services do, with some of the replacements for parts of kafkajs:
 *
 *   node bench/kafkajs/client.ts BROKERS REPLACEMENTS FULL_TOPIC MESSAGES SECONDS   prints its figures as one JSON object
 */
import { randomUUID } from 'node:crypto';
import { type Batch, BatchConsumer, KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { DeviceValues, type Topic } from '@lanyard/contracts';
import { createLogger } from '@lanyard/service';
import { median, percentile } from '../statistics.ts';

const [brokers = '', replacements = '', fullTopic = '', messages = '', seconds = ''] = process.argv.slice(2);
const [count, ms] = [Number(messages), Number(seconds) * 1_000];
const name = randomUUID().slice(0, 8);
const logger = createLogger({ app: 'bench', replicaId: name, level: 'error' });
const connection = new KafkaConnection({ brokers: brokers.split(','), clientId: name, logger, replacements });
const producer = new KafkaProducer(connection, { source: 'bench' });

const value = JSON.stringify({ item: { ep: 'bench', path: '/3303/0/5700', payload: 'x'.repeat(600) } });
const keys = Array.from({ length: 100 }, () => randomUUID());
/** Twelve headers, like the messages of the services. */
const headers = Object.fromEntries(
  [
    'id',
    'source',
    'specversion',
    'type',
    'time',
    'subject',
    'dataschema',
    'deviceid',
    'accountid',
    'epoch',
    'sequence',
    'cause',
  ].map((header) => [`ce_${header}`, `the ${header} of it`]),
);

const send = (topic: string, n: number): Promise<void> =>
  producer.sendTo(topic, {
    key: keys[n % keys.length] as string,
    value,
    headers: { ...headers, ce_id: `${name}-${n}`, ce_time: String(performance.now()) },
  });

const produce = async (topic: string, total: number): Promise<void> => {
  for (let n = 0; n < total; n += 2_000)
    await Promise.all(Array.from({ length: 2_000 }, (_, at) => send(topic, n + at)));
};

const pause = (forMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, forMs));

/** CPU time of this process in µs, and elapsed milliseconds, since this object was created. */
class Clock {
  private readonly cpu = process.cpuUsage();
  private readonly atMs = performance.now();

  get cpuUs(): number {
    const { user, system } = process.cpuUsage(this.cpu);
    return user + system;
  }

  get ms(): number {
    return performance.now() - this.atMs;
  }
}

const topicOf = (kind: string): Topic<unknown> => ({ ...DeviceValues, name: `${kind}.${name}` }) as Topic<unknown>;

const consume = async (
  topic: Topic<unknown>,
  handler: (batch: Batch<unknown>) => Promise<void>,
  group = 'g',
): Promise<BatchConsumer<unknown>> => {
  const onFatal = (error: unknown): void => {
    throw error;
  };
  const consumer = new BatchConsumer(connection, { topic, group: `${name}${group}`, raw: true, handler, onFatal });
  await consumer.start();
  return consumer;
};

/** Reads the full topic, and calls `handle` for each batch: figures of the messages after the first quarter. */
const readAll = async (handle: (batch: Batch<unknown>) => Promise<void>, group: string) => {
  let [read, counted] = [0, 0];
  let clock: Clock | undefined;
  let complete: (() => void) | undefined;
  const done = new Promise<void>((resolve) => (complete = resolve));
  const handler = async (batch: Batch<unknown>): Promise<void> => {
    // Without this, a consumer would retry forever.
    await handle(batch).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
    read += batch.messages.length;
    if (clock) counted += batch.messages.length;
    else if (read > count / 4) clock = new Clock();
    if (read >= count) complete?.();
  };
  const consumer = await consume({ ...DeviceValues, name: fullTopic } as Topic<unknown>, handler, group);
  await done;
  const { cpuUs = NaN, ms: tookMs = NaN } = clock ?? {};
  await consumer.stop();
  return { cpuUs: cpuUs / counted, perSecond: (counted / tookMs) * 1_000 };
};

/** Reads the fields of a batch that a handler reads. */
const readFields = async (batch: Batch<unknown>): Promise<void> => {
  for (const message of batch.messages)
    if (!message.headers.get('ce_id') || !message.headers.get('ce_type') || message.raw.length === 0)
      throw new Error('an empty message');
};

const figures: Record<string, number> = {};

const target = topicOf('produced');
await connection.ensureTopics([target]);
await producer.connect();
await produce(target.name, count / 4);
const produced = new Clock();
await produce(target.name, count);
figures['produce_cpu_us'] = produced.cpuUs / count;
figures['produce_per_second'] = (count / produced.ms) * 1_000;

const consumed = await readAll(readFields, 'read');
figures['consume_cpu_us'] = consumed.cpuUs;
figures['consume_per_second'] = consumed.perSecond;

const passed = await readAll(async (batch) => {
  await readFields(batch);
  await Promise.all(batch.messages.map((_, n) => send(target.name, n)));
}, 'pass');
figures['pass_on_cpu_us'] = passed.cpuUs;
figures['pass_on_per_second'] = passed.perSecond;
figures['memory_mib'] = process.memoryUsage().rss / 2 ** 20;

const quiet = topicOf('quiet');
await connection.ensureTopics([quiet]);
const latencies: number[] = [];
const consumers = [
  await consume(quiet, async (batch) => {
    for (const { headers: each } of batch.messages) latencies.push(performance.now() - Number(each.get('ce_time')));
  }),
];
const slow = new Clock();
let sent = 0;
for (; slow.ms < ms; sent++) {
  await Promise.all([send(quiet.name, sent), pause(5)]);
}
await pause(200);
if (latencies.length < sent) throw new Error(`${sent - latencies.length} messages did not come`);
figures['slow_cpu_us'] = slow.cpuUs / sent;
figures['latency_p50_ms'] = median(latencies);
figures['latency_p99_ms'] = percentile(latencies, 0.99);

// As many consumers as a service has.
for (const group of ['b', 'c', 'd']) consumers.push(await consume(quiet, async () => undefined, group));
await pause(1_500);
const idle = new Clock();
await pause(ms);
figures['idle_cpu_share'] = idle.cpuUs / 1_000 / idle.ms;

const stops: number[] = [];
for (const consumer of consumers) {
  const stop = new Clock();
  await consumer.stop();
  stops.push(stop.ms);
}
figures['stop_ms'] = stops.reduce((sum, each) => sum + each, 0) / stops.length;
process.stdout.write(JSON.stringify(figures));
process.exit();
