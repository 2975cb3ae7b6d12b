import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, infrastructure, TcpLine } from '@lanyard/testing';
import { keepSubscribed, newId, type RedisClient, redisClient, subscriberCount } from '../src/index.js';

const retry = { retryStrategy: () => 20 };

let line: TcpLine;
let other: RedisClient;
let subscriber: RedisClient | undefined;

beforeAll(async () => {
  line = await TcpLine.open(infrastructure().redisUrl);
  other = redisClient(infrastructure().redisUrl, retry);
});

afterAll(() => {
  subscriber?.disconnect();
  other?.disconnect();
  line?.close();
});

it('a connection that breaks before Redis has confirmed its subscription is followed by one that receives messages', async () => {
  const channel = newId();
  const received: string[] = [];
  let missed = 0;
  subscriber = redisClient(line.url, { ...retry, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: null });
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel: string, text: string) => received.push(text));
  await keepSubscribed(subscriber, [channel], () => missed++);
  const broken = line.cutAt((request) => request.includes('subscribe'), { afterAnswer: false });
  line.cut();
  expect(await broken).toBe(true);
  await eventually(() => expect(missed).toBe(1));
  expect(await subscriberCount(other, channel)).toBe(1);
  await other.publish(channel, 'a message');
  await eventually(() => expect(received).toEqual(['a message']));
});

it('a subscription that Redis refuses fails with its reason: a start does not wait for it', async () => {
  const user = newId();
  await other.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', 'resetchannels', '+@all');
  const url = Object.assign(new URL(infrastructure().redisUrl), { username: user, password: 'secret' });
  const refused = redisClient(url.href, retry);
  refused.on('error', () => undefined);
  try {
    await expect(keepSubscribed(refused, [newId()])).rejects.toThrow('NOPERM');
  } finally {
    refused.disconnect();
    await other.call('ACL', 'DELUSER', user);
  }
});
