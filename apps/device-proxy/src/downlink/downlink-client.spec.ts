import { CoapDatagramEndpoint, peerOf } from '@lanyard/coap';
import { AccountModels } from '@lanyard/lwm2m';
import { describe, expect, it } from '@jest/globals';
import type { LastSeen } from '../sessions/last-seen.js';
import { Session } from '../sessions/session.js';
import { CoapLink } from '../transport/coap-link.js';
import { NoAnswer, NotSent } from '../transport/device-link.js';
import { DeviceLinks } from '../transport/device-links.js';
import { DownlinkClient } from './downlink-client.js';

const path = '/3/0/0';

/** A device that answers nothing, and the messages that were sent to it. By default it is awake until it is silent. */
const silentDevice = ({ queueMode, isAwake }: { queueMode: boolean; isAwake?: boolean }) => {
  const messages = new Set<string>();
  const endpoint = new CoapDatagramEndpoint({
    transport: {
      bind: () => Promise.resolve({ address: '127.0.0.1', port: 5_684, receiveBufferBytes: 0 }),
      reaches: () => true,
      // A retransmission has the same bytes.
      send: (bytes) => void messages.add(bytes.toString('hex')),
      close: () => Promise.resolve(),
    },
    ackTimeoutMs: 1,
    onRequest: () => Promise.reject(new Error('nothing is asked of this endpoint')),
  });
  const links = new DeviceLinks();
  const peers = {
    addressOf: () => '127.0.0.1:5683',
    peerOf: () => peerOf('127.0.0.1', 5_683),
    senderOf: () => undefined,
    disconnect: () => undefined,
  };
  links.add('coap', new CoapLink(endpoint, peers));
  const client = new DownlinkClient(
    links,
    { recordMessage: () => undefined } as unknown as LastSeen,
    new AccountModels(),
    { isListening: ({ silent }) => isAwake ?? !silent },
  );
  const session = new Session({
    deviceId: 'device',
    accountId: 'account',
    registrationId: 'registration',
    epoch: 1,
    address: '127.0.0.1:5683',
    lastSeenAtMs: 0,
    expiresAtMs: 0,
    observations: [],
    data: {
      endpointName: 'meter',
      lifetimeSeconds: 600,
      lwm2mVersion: '1.1',
      binding: 'U',
      queueMode,
      rootPath: '',
      contentFormats: [],
      links: [],
      attributes: {},
      registeredAtMs: 0,
      firstContact: false,
    },
  });
  const outcomes = (): Promise<unknown[]> => {
    const requests: Promise<unknown>[] = [
      client.read(session, path),
      client.observe(session, { path }),
      client.cancel(session, { path, token: '0123456789abcdef' }),
    ];
    return Promise.all(requests.map((request) => request.catch((error: unknown) => error)));
  };
  return { outcomes, messages };
};

describe('requests to a device that does not answer', () => {
  it('are not sent if they waited behind one that shows that the device sleeps', async () => {
    const { outcomes, messages } = silentDevice({ queueMode: true });
    expect(await outcomes()).toEqual([expect.any(NoAnswer), expect.any(NotSent), expect.any(NotSent)]);
    expect(messages.size).toBe(1);
  });

  it('are not sent if the device has fallen asleep since they were asked for', async () => {
    const { outcomes, messages } = silentDevice({ queueMode: true, isAwake: false });
    expect(await outcomes()).toEqual([expect.any(NotSent), expect.any(NotSent), expect.any(NotSent)]);
    expect(messages.size).toBe(0);
  });

  it('are sent one after the other if the device never sleeps', async () => {
    const { outcomes, messages } = silentDevice({ queueMode: false });
    expect(await outcomes()).toEqual([expect.any(NoAnswer), expect.any(NoAnswer), expect.any(NoAnswer)]);
    expect(messages.size).toBe(3);
  });
});
