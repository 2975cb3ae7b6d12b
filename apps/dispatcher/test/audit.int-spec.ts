import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { BatchConsumer, KafkaConnection } from '@lanyard/kafka';
import { createLogger, type RunningService } from '@lanyard/service';
import { CallbackReceiver, infrastructure, eventually } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem } from './test-system.js';

let system: TestSystem;
let service: RunningService;
let receiver: CallbackReceiver;
let kafka: KafkaConnection;
let consumer: BatchConsumer<DeviceEventReported>;
const told: DeviceEventReported[] = [];

beforeAll(async () => {
  system = await TestSystem.create('audit');
  service = await system.startReplica();
  receiver = await new CallbackReceiver().start();
  const { topicPrefix } = system.isolation;
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  kafka = new KafkaConnection({ brokers: infrastructure().brokers, topicPrefix, clientId: 'test', logger });
  consumer = new BatchConsumer(kafka, {
    topic: DeviceEvents,
    group: 'test',
    onFatal: () => undefined,
    handler: async (batch) => void told.push(...batch.messages.map((m) => m.value)),
  });
  await consumer.start();
});

afterAll(async () => {
  await consumer?.stop();
  await kafka?.close();
  await receiver?.stop();
  await system?.drop();
});

const ask = (by: Customer, method: string, path: string, body?: unknown): Promise<Answer> =>
  system.call(service, by, method, path, body, { headers: { 'x-request-id': 'asked-by-test' } });

const of = ({ accountId }: Customer): DeviceEventReported[] => told.filter((fact) => fact.accountId === accountId);

const expectTold = (customer: Customer, entries: [string, string?][]): Promise<void> =>
  eventually(() => expect(of(customer).map(({ eventCode, data }) => [eventCode, data?.['fields']])).toEqual(entries));

it('every change of a callback and its secrets is told once, with its actor, and neither URL nor header nor secret', async () => {
  const customer = await system.customer();
  const { url } = receiver;
  for (const authorization of ['hidden-1', 'hidden-1', 'hidden-2'])
    await ask(customer, 'PUT', 'callback', { url, headers: { authorization } });
  const made = (await ask(customer, 'POST', 'callback/signing-secrets')).body as { id: string; secret: string };
  await ask(customer, 'PUT', 'callback', {
    url: `${url}?hidden-3`,
    serialization: { type: 'v2', max_chunk_size: 100 },
  });
  for (const _ of ['once', 'again']) await ask(customer, 'DELETE', `callback/signing-secrets/${made.id}`);
  for (const _ of ['once', 'again']) await ask(customer, 'DELETE', 'callback');
  // Behind whatever is told of the second deletion.
  await ask(customer, 'PUT', 'callback', { url });
  await expectTold(customer, [
    ['SYS_580'],
    ['SYS_581', 'headers'],
    ['SYS_583'],
    ['SYS_581', 'url,headers,serialization'],
    ['SYS_584'],
    ['SYS_582'],
    ['SYS_580'],
  ]);
  for (const { data, deviceId } of of(customer)) {
    expect(deviceId).toBeUndefined();
    expect(data).toMatchObject({
      channel_kind: 'callback',
      actor_key_id: customer.keyId,
      actor_account_id: customer.accountId,
      request_id: 'asked-by-test',
    });
  }
  expect(of(customer)[0]?.data).toMatchObject({ target: 'notification-channel', target_id: customer.keyId });
  expect(of(customer)[2]?.data).toMatchObject({ target: 'signing-secret', target_id: made.id });
  for (const hidden of ['hidden', new URL(url).host, made.secret])
    expect(JSON.stringify(of(customer))).not.toContain(hidden);
});

it('so is every change of a WebSocket channel', async () => {
  const customer = await system.customer();
  await ask(customer, 'PUT', 'websocket');
  await ask(customer, 'PUT', 'websocket', {});
  await ask(customer, 'PUT', 'websocket', { serialization: { type: 'v2', cfg: { include_uid: true } } });
  await ask(customer, 'DELETE', 'websocket');
  await expectTold(customer, [['SYS_580'], ['SYS_581', 'serialization'], ['SYS_582']]);
  expect(of(customer)[0]?.data).toMatchObject({ channel_kind: 'websocket' });
});

it('so is a pull channel, once it is made and not with each poll', async () => {
  const customer = await system.customer();
  for (const _ of ['first', 'second']) await ask(customer, 'GET', 'pull?noWait=true');
  for (const _ of ['once', 'again']) await ask(customer, 'DELETE', 'pull');
  await ask(customer, 'GET', 'pull?noWait=true');
  await expectTold(customer, [['SYS_580'], ['SYS_582'], ['SYS_580']]);
  for (const { data } of of(customer))
    expect(data).toMatchObject({
      channel_kind: 'pull',
      target_id: customer.keyId,
      actor_key_id: customer.keyId,
      request_id: 'asked-by-test',
    });
});

it('what is refused is not told, nor a channel that ends with its key', async () => {
  const customer = await system.customer();
  await ask(customer, 'PUT', 'websocket');
  expect((await ask(customer, 'PUT', 'callback', { url: receiver.url })).status).toBe(400);
  await system.announceKey(customer, { status: 'deleted' });
  await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'deleted' }));
  const other = await system.customer(customer.accountId);
  await ask(other, 'PUT', 'websocket');
  await expectTold(customer, [['SYS_580'], ['SYS_580']]);
});
