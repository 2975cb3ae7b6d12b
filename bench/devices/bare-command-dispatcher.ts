/**
 * The dispatcher of a bare chain from a command to its answer: reads a topic, appends what comes to a list in Redis, and only then
 * sends it to every WebSocket. It stores no offset, removes nothing from the list, and waits for no proof of arrival.
 *
 *   node bench/devices/bare-command-dispatcher.ts BROKERS TOPIC REDIS_URL   says `ready PORT` when it has read from its partitions
 */
import { KafkaConnection } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import { Redis } from 'ioredis';
import { WebSocketServer } from 'ws';
import { sayPort } from '../../tools/testing/program.ts';

const [brokers = '', topic = '', redisUrl = ''] = process.argv.slice(2);

const redis = new Redis(redisUrl);
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
// This kafkajs uses the replacements of libs/kafka.
const { kafka } = new KafkaConnection({ brokers: brokers.split(','), clientId: 'bare', logger });
const consumer = kafka.consumer({ groupId: `bare-${process.pid}`, maxWaitTimeInMs: 1_000 });
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: false });
// Only after a fetch does the consumer know its offsets.
const hasRead = consumer.on(consumer.events.FETCH, () => {
  hasRead();
  sayPort(server);
});
await consumer.run({
  autoCommit: false,
  eachBatch: async ({ batch }) => {
    const items = batch.messages.map(({ value }) => String(value));
    await redis.rpush('bare:queue', ...items);
    const frame = `{"async-responses":[${items.join()}]}`;
    for (const client of server.clients) client.send(frame);
  },
});
