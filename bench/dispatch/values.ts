/** Many values of one size, made cheaply: each is the message of the first one with other numbers in it. */
import { randomUUID } from 'node:crypto';
import { DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import type { BenchSystem } from '../system.ts';

const digits = 9;
const sentAtOnce = 10_000;

const payloadOf = (number: number) => Buffer.from(String(number).padStart(digits, '0')).toString('base64');

const devices = 100;
const deviceIds = Array.from({ length: devices }, newId);

/** Bytes of one event on a channel, and of the text around the events of a message. */
const wrapperBytes = '{"notifications":[]}'.length;
let itemBytes = 0;

/** The number of events in a message, by its length. Only after `values`, which determines the size of an event. */
export const eventsIn = (body: Buffer) => (body.length - wrapperBytes + 1) / (itemBytes + 1);

const template = ({ keyId, accountId }: { keyId: string; accountId: string }) => {
  const deviceId = deviceIds[0] as string;
  const item = { ep: deviceId, path: '/3303/0/5700', ct: 'text/plain', payload: payloadOf(0), 'max-age': 60 };
  itemBytes = JSON.stringify(item).length;
  return encodeMessage(
    DeviceValues,
    {
      item,
      cause: 'notify' as const,
      deviceId,
      accountId,
      endpointName: 'bench',
      epoch: 1,
      sequence: 100_000_000,
      observedAt: new Date().toISOString(),
      audience: [keyId],
    },
    { source: 'bench' },
  );
};

/** Values numbered from `from` on, for these customers in rotation. Each device belongs to one of them. */
export const values = (to: { keyId: string; accountId: string }[], from: number, count: number) => {
  const templates = to.map((customer) => {
    const { headers, value } = template(customer);
    return { headers, text: String(value) };
  });
  const [first, sequence] = [deviceIds[0] as string, '100000000'];
  return Array.from({ length: count }, (_, n) => {
    const number = from + n;
    const { headers, text } = templates[n % to.length] as (typeof templates)[number];
    const device = (to.length > 1 ? deviceOf(n % to.length) : deviceIds[n % devices]) as string;
    const value = text
      .replaceAll(first, device)
      .replace(payloadOf(0), payloadOf(number))
      .replace(sequence, String(100_000_000 + number));
    return { key: device, value: Buffer.from(value), headers: { ...headers, ce_id: randomUUID() } };
  });
};

const ofCustomers: string[] = [];
const deviceOf = (n: number) => (ofCustomers[n] ??= newId());

/** Sends all messages, some thousands at once, because a producer holds no more than 100,000. */
export const sendEach = async (
  messages: ReturnType<typeof values>,
  sendOne: (message: ReturnType<typeof values>[number]) => Promise<unknown>,
) => {
  for (let n = 0; n < messages.length; n += sentAtOnce)
    await Promise.all(messages.slice(n, n + sentAtOnce).map(sendOne));
};

/** Writes messages into the topic of values. */
export const send = ({ producer }: Pick<BenchSystem, 'producer'>, messages: ReturnType<typeof values>) =>
  sendEach(messages, (message) => producer.sendEncoded(DeviceValues, message));
