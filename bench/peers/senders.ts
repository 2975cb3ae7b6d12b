/** Senders of the events of a topic to callbacks: a dispatcher, or a program on BullMQ. One of them runs at a time. */
import { DeviceValues } from '@lanyard/contracts';
import { startProgram } from '../../tools/testing/program.ts';
import type { Receiver } from '../application.ts';
import { type Customer } from '../dispatch/installation.ts';
import { sendEach, type values } from '../dispatch/values.ts';
import type { BenchSystem } from '../system.ts';

type Messages = ReturnType<typeof values>;

/** Sends to a callback URL for each customer, which ends with the customer's number. */
export interface Sender {
  customers: Customer[];
  pid(): number | undefined;
  /** Writes into the topic that the sender reads. */
  write(messages: Messages): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Starts it, also after SIGKILL. Resolves when it reads. */
  start(): Promise<unknown>;
  stop(): void;
}

/** @param maxChunkSize events in a request; default: all that wait */
export const dispatcher = async (
  system: BenchSystem,
  customers: Customer[],
  receiver: Receiver,
  maxChunkSize?: number,
): Promise<Sender> => {
  const serialization = maxChunkSize && { serialization: { max_chunk_size: maxChunkSize } };
  await Promise.all(customers.map((customer) => customer.announce(system.producer)));
  for (const [n, customer] of customers.entries())
    await customer.call('PUT', 'callback', { url: receiver.urlOf(n), ...serialization });
  const name = 'dispatcher-0';
  const signal = (signalName: NodeJS.Signals) => system.signal(name, signalName);
  return {
    customers,
    signal,
    pid: () => system.unit(name).unit.pid,
    write: (messages) => sendEach(messages, (message) => system.producer.sendEncoded(DeviceValues, message)),
    async start() {
      signal('SIGCONT');
      if (system.dead.includes(name)) await system.ready(name);
    },
    stop: () => signal('SIGSTOP'),
  };
};

export const bullmq = async (
  system: BenchSystem,
  customers: Customer[],
  receiver: Receiver,
  mode: 'shared' | 'ordered',
): Promise<Sender> => {
  const topic = `bench.bullmq-${mode}`;
  await system.kafka.ensureTopics([{ ...DeviceValues, name: topic }]);
  const url = new URL(receiver.url).origin;
  const { redisUrl } = system.infrastructureUrls;
  const args = [system.brokers.join(), topic, redisUrl, url, mode, ...customers.map((c) => c.keyId)];
  let program: Awaited<ReturnType<typeof startProgram>> | undefined;
  return {
    customers,
    pid: () => program?.child.pid,
    write: (messages) => sendEach(messages, (message) => system.producer.sendTo(topic, message)),
    signal: (name) => void program?.child.kill(name),
    async start() {
      program = await startProgram('bench/peers/bullmq.ts', ...args);
    },
    stop: () => void program?.child.kill('SIGKILL'),
  };
};
