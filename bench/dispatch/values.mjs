/** Many values of one size, made cheaply: the message of the first, with other numbers in it. */
import { randomUUID } from 'node:crypto';
import { DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';

const digits = 9;
const sentAtOnce = 10_000;

/** @param {number} number */
const payloadOf = (number) => Buffer.from(String(number).padStart(digits, '0')).toString('base64');

const devices = 100;
const deviceIds = Array.from({ length: devices }, newId);

/** Bytes of one event on a channel, and of what stands around the events of a message. */
const wrapperBytes = '{"notifications":[]}'.length;
let itemBytes = 0;

/** The events in a message. @param {Buffer} body */
export const eventsIn = (body) => (body.length - wrapperBytes + 1) / (itemBytes + 1);

/** Their numbers, and of which device. @param {Buffer} body */
export const numbersIn = (body) =>
  (JSON.parse(body.toString()).notifications ?? []).map((/** @type {{ ep: string, payload: string }} */ n) => ({
    device: n.ep,
    number: Number(Buffer.from(n.payload, 'base64').toString()),
  }));

/** @param {{ keyId: string, accountId: string }} to */
const template = ({ keyId, accountId }) => {
  const deviceId = /** @type {string} */ (deviceIds[0]);
  const item = { ep: deviceId, path: '/3303/0/5700', ct: 'text/plain', payload: payloadOf(0), 'max-age': 60 };
  itemBytes = JSON.stringify(item).length;
  return encodeMessage(
    DeviceValues,
    {
      item,
      cause: /** @type {const} */ ('notify'),
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

/**
 * Values numbered from `from` on, in turns for these customers. Each device belongs to one of them.
 * @param {{ keyId: string, accountId: string }[]} to @param {number} from @param {number} count
 */
export const values = (to, from, count) => {
  const templates = to.map((customer) => {
    const { headers, value } = template(customer);
    return { headers, text: String(value) };
  });
  const [first, sequence] = [/** @type {string} */ (deviceIds[0]), '100000000'];
  return Array.from({ length: count }, (_, n) => {
    const number = from + n;
    const { headers, text } = /** @type {typeof templates[number]} */ (templates[n % to.length]);
    const device = /** @type {string} */ (to.length > 1 ? deviceOf(n % to.length) : deviceIds[n % devices]);
    const value = text
      .replaceAll(first, device)
      .replace(payloadOf(0), payloadOf(number))
      .replace(sequence, String(100_000_000 + number));
    return { key: device, value: Buffer.from(value), headers: { ...headers, ce_id: randomUUID() } };
  });
};

/** @type {string[]} */
const ofCustomers = [];
/** @param {number} n */
const deviceOf = (n) => (ofCustomers[n] ??= newId());

/** Writes messages into the topic of values. @param {import('../system.mjs').System} system @param {ReturnType<typeof values>} messages */
export const send = async ({ producer }, messages) => {
  for (let n = 0; n < messages.length; n += sentAtOnce)
    await Promise.all(messages.slice(n, n + sentAtOnce).map((message) => producer.sendEncoded(DeviceValues, message)));
};
