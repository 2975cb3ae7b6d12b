import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { retryBrokerNotConnected } from './broker-not-connected.js';

interface Broker {
  lookupRequest: (...request: unknown[]) => unknown;
  metadata(topics: string[]): Promise<unknown>;
}

const Broker = createRequire(import.meta.url)('kafkajs/src/broker/index.js') as new (options: object) => Broker;

const broker = (): Broker =>
  new Broker({ connectionPool: { host: 'kafka', port: 9092 }, logger: { namespace: () => ({}) } });

it('a broker without a connection is no reason to give up, though it is one for kafkajs', async () => {
  await expect(broker().metadata([])).rejects.not.toHaveProperty('retriable');
  retryBrokerNotConnected();
  await expect(broker().metadata([])).rejects.toMatchObject({
    name: 'KafkaJSConnectionError',
    message: 'Broker not connected',
    retriable: true,
  });
  const connected = broker();
  connected.lookupRequest = () => 'found';
  expect(connected.lookupRequest()).toBe('found');
});
