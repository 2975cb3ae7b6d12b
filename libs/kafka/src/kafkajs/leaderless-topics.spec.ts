import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { listLeaderlessTopics } from './leaderless-topics.js';

interface Request {
  response: { decode(payload: Buffer): Promise<unknown>; parse(response: unknown): Promise<unknown> };
}

interface Broker {
  lookupRequest: (api: { apiKey: number }, versions: { protocol(version: object): unknown }) => unknown;
  metadata(topics: string[]): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const Broker = require('kafkajs/src/broker/index.js') as new (options: object) => Broker;

/** What a broker says of a topic one of whose partitions has no leader: LEADER_NOT_AVAILABLE is 5. */
const metadata = {
  brokers: [{ nodeId: 1, host: 'kafka', port: 9092 }],
  topicMetadata: [
    { topicErrorCode: 0, topic: 'orders', partitionMetadata: [{ partitionErrorCode: 5, partitionId: 0 }] },
  ],
};

/** Its connection answers each request with that, through the parser of the request. */
const broker = (): Broker => {
  const connectionPool = {
    host: 'kafka',
    port: 9092,
    send: ({ response }: Request) => response.parse(metadata),
  };
  const made = new Broker({ connectionPool, logger: { namespace: () => ({}) } });
  made.lookupRequest = (_api, versions) => versions.protocol({ version: 6 });
  return made;
};

it('a list of all topics includes those without a leader; a request for one of them by its name fails', async () => {
  await expect(broker().metadata([])).rejects.toMatchObject({ type: 'LEADER_NOT_AVAILABLE' });
  listLeaderlessTopics();
  await expect(broker().metadata([])).resolves.toEqual(metadata);
  await expect(broker().metadata(['orders'])).rejects.toMatchObject({ type: 'LEADER_NOT_AVAILABLE' });
});
