import { type CoapMessage, type CoapNotification, Code, type NotificationHandler } from '../src/index.js';
import { type Loopback, type Options, peerAt } from './bench-of-endpoints.js';
import { option } from './raw-peer.js';

export const get = { method: Code.GET, path: ['3303', '0', '5700'] };
export const observeOption = (number: number) => option(6, [number]);

/** A server that observes a bare socket, which answered the registration with Observe number 10. */
export const observing = async (
  net: Loopback,
  handler: NotificationHandler = async () => undefined,
  options: Options = {},
) => {
  const heard: CoapNotification[] = [];
  const subject = await net.endpoint(options);
  const raw = await net.raw(subject.port);
  const peer = peerAt(subject, raw.port);
  const registering = subject.endpoint.observe(peer, get, (notification) => {
    heard.push(notification);
    return handler(notification);
  });
  const request = await raw.next();
  raw.send(answerTo(request, [observeOption(10)]));
  const observation = await registering;
  const notification = (number: number, messageId: number, over: Partial<CoapMessage> = {}): Partial<CoapMessage> => ({
    code: Code.Content,
    messageId,
    token: request.token,
    options: [observeOption(number)],
    payload: Buffer.from(`value ${number}`),
    ...over,
  });
  return { ...subject, subject, raw, peer, request, observation, heard, notification };
};

export const answerTo = (request: CoapMessage, options: CoapMessage['options'] = [], code: number = Code.Content) =>
  ({
    type: 'ACK',
    code,
    messageId: request.messageId,
    token: request.token,
    options,
    payload: Buffer.from('first'),
  }) as const;

export const numbers = (heard: CoapNotification[]) => heard.map(({ observe }) => observe);
