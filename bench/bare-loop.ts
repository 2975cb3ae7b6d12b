/**
 * The reference: a separate program that reads a topic with kafkajs and sends every batch into a WebSocket unchanged.
 * No queue, no channels, no proof of arrival: the least that the job could cost.
 *
 *   node bench/bare-loop.ts BROKERS TOPIC   says `ready PORT` when it has read from its partitions
 */
import kafkajs from 'kafkajs';
import { WebSocketServer, type WebSocket } from 'ws';
import { sayPort } from '../tools/testing/program.ts';
import type { IHeaders } from 'kafkajs';

const [brokers = '', topic = ''] = process.argv.slice(2);
const kafka = new kafkajs.Kafka({ clientId: 'bare', brokers: brokers.split(','), logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({
  groupId: `bare-${process.pid}`,
  sessionTimeout: 600_000,
  maxBytesPerPartition: 4_194_304,
});
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const clients = new Set<WebSocket>();
server.on('connection', (socket) => clients.add(socket));

const itemStart = '{"item":'.length;
const open = Buffer.from('{"notifications":[');
const comma = Buffer.from(',');
const close = Buffer.from(']}');

/** The item, with which a message of the services begins. A header has its length, so the message is not parsed. */
const itemOf = (value: Buffer, headers: IHeaders | undefined) => {
  const bytes = Number(headers?.['ce_itembytes'] ?? 0);
  return bytes > 0 ? value.subarray(itemStart, itemStart + bytes) : value;
};

await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: false });
// Only after a fetch does the consumer know its offsets, so that nothing is skipped if it is suspended now.
const hasRead = consumer.on(consumer.events.FETCH, () => {
  hasRead();
  sayPort(server);
});
await consumer.run({
  autoCommit: false,
  eachBatch: async ({ batch }) => {
    const parts: Buffer[] = [];
    for (const { value, headers } of batch.messages)
      if (value) parts.push(parts.length === 0 ? open : comma, itemOf(value, headers));
    if (parts.length === 0) return;
    const frame = Buffer.concat([...parts, close]);
    for (const socket of clients) socket.send(frame, { binary: false });
  },
});
