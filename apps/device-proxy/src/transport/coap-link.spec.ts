import {
  CoapDatagramEndpoint,
  type CoapEndpoint,
  type CoapNotification,
  type NotificationHandler,
  peerOf,
} from '@lanyard/coap';
import { eventually } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { CoapLink } from './coap-link.js';
import { RequestAborted } from './device-link.js';

const address = '127.0.0.1:5683';

/** The link to a device that answers nothing, and what was sent to it. */
const silentDevice = () => {
  const sent: Buffer[] = [];
  const endpoint = new CoapDatagramEndpoint({
    transport: {
      bind: () => Promise.resolve({ address: '127.0.0.1', port: 5_684, receiveBufferBytes: 0 }),
      reaches: () => true,
      send: (bytes) => void sent.push(bytes),
      close: () => Promise.resolve(),
    },
    limits: { closeTimeoutMs: 0 },
    onRequest: () => Promise.reject(new Error('nothing is asked of this endpoint')),
  });
  const link = new CoapLink(endpoint, {
    addressOf: ({ authority }) => authority,
    peerOf: () => peerOf('127.0.0.1', 5_683),
    senderOf: () => undefined,
    disconnect: () => undefined,
  });
  const execute = (signal: AbortSignal): Promise<unknown> =>
    link.request(address, { method: 'POST', path: '/3/0/4' }, signal).catch((error: unknown) => error);
  return { sent, endpoint, execute };
};

const abortions = async (outcomes: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.all(outcomes)).map((error) => error instanceof RequestAborted && { isSent: error.isSent });

describe('a request that is aborted says whether a message of it has left', () => {
  it('by its caller: only one at a time is sent', async () => {
    const { sent, endpoint, execute } = silentDevice();
    const [first, second] = [new AbortController(), new AbortController()];
    const outcomes = [first, second].map(({ signal }) => execute(signal));
    await eventually(() => expect(sent).toHaveLength(1));
    second.abort();
    first.abort();
    expect(await abortions(outcomes)).toEqual([{ isSent: true }, { isSent: false }]);
    await endpoint.close();
    expect(sent).toHaveLength(1);
  });

  it('by the end of the endpoint', async () => {
    const { sent, endpoint, execute } = silentDevice();
    const { signal } = new AbortController();
    const outcomes = [execute(signal), execute(signal)];
    await eventually(() => expect(sent).toHaveLength(1));
    const closed = endpoint.close();
    outcomes.push(execute(signal));
    await closed;
    expect(await abortions(outcomes)).toEqual([{ isSent: true }, { isSent: false }, { isSent: false }]);
    expect(sent).toHaveLength(1);
  });
});

it('an observation that is not wanted is cancelled once at a time, however many notifications it has', async () => {
  let handler: NotificationHandler = () => Promise.reject(new Error('nothing is observed'));
  const cancellations: (() => void)[] = [];
  const endpoint: Pick<CoapEndpoint, 'restoreObservation' | 'cancelObservation'> = {
    restoreObservation: (_peer, _token, given) => {
      handler = given;
    },
    cancelObservation: () => new Promise((_, reject) => cancellations.push(() => reject(new Error('no answer')))),
  };
  const link = new CoapLink(endpoint as CoapEndpoint, {
    addressOf: ({ authority }) => authority,
    peerOf: () => peerOf('127.0.0.1', 5_683),
    senderOf: () => undefined,
    disconnect: () => undefined,
  });
  link.adopt(address, 'a1', { method: 'GET', path: '/3303/0/5700' });
  const notify = (tokenKey: string): Promise<void> =>
    handler({ peer: peerOf('127.0.0.1', 5_683), token: Buffer.from(tokenKey, 'hex'), tokenKey } as CoapNotification);
  await notify('a1');
  await notify('a1');
  await notify('b2');
  expect(cancellations).toHaveLength(2);
  for (const fail of cancellations) fail();
  await eventually(async () => {
    await notify('a1');
    expect(cancellations).toHaveLength(3);
  });
});
