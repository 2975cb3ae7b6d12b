import { expect, it } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.js';
import { Code } from '../codec/code.js';
import { encodeEmpty } from '../codec/encode.js';
import { type DatagramReceiver } from '../state/datagram-transport.js';
import { CoapDatagramEndpoint } from './coap-datagram-endpoint.js';

it('datagrams of unknown peers count together whose addresses have one source', async () => {
  const bound: DatagramReceiver[] = [];
  const endpoint = new CoapDatagramEndpoint({
    transport: {
      bind: (receiver) => {
        bound.push(receiver);
        return Promise.resolve({ address: '::', port: 5_683, receiveBufferBytes: 0 });
      },
      reaches: () => true,
      send: () => undefined,
      close: () => Promise.resolve(),
    },
    clock: new ManualClock(),
    limits: { unknownPeerBurst: 2, closeTimeoutMs: 0 },
    sourceOf: (address) => address.split('::')[0] ?? '',
    onRequest: async () => ({ code: Code.Content }),
  });
  await endpoint.listen();
  for (const address of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1::3', '2001:db8:0:2::1'])
    bound[0]?.receive(encodeEmpty('CON', 1), address, address, 5_683);
  expect(endpoint.counters()).toMatchObject({ 'ping-answered': 3, 'datagram-rate-limited': 1 });
  await endpoint.close();
});
