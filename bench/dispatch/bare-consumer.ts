/**
 * R1: a kafkajs consumer whose `eachBatch` only counts, without commits.
 *
 *   node bench/dispatch/bare-consumer.ts BROKERS TOPIC plain|lean
 *
 * `lean`: decodes answers as our library does (ADR 12). Says `joined`, then after each batch the total number of messages.
 */
import kafkajs from 'kafkajs';

const [brokers = '', topic = '', kind = 'plain'] = process.argv.slice(2);
if (kind === 'lean') (await import('@lanyard/kafka')).replaceParts();
const kafka = new kafkajs.Kafka({ clientId: 'bare', brokers: brokers.split(','), logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({ groupId: `bare-${process.pid}`, sessionTimeout: 600_000, maxWaitTimeInMs: 250 });
let count = 0;
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
consumer.on(consumer.events.GROUP_JOIN, () => process.stdout.write('joined\n'));
await consumer.run({
  autoCommit: false,
  partitionsConsumedConcurrently: 64,
  eachBatch: async ({ batch }) => {
    count += batch.messages.length;
    process.stdout.write(`${count}\n`);
  },
});
