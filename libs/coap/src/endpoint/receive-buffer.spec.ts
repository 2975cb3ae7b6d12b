import { createSocket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Code } from '../codec/code.js';
import { encodeEmpty } from '../codec/encode.js';
import { CoapUdpEndpoint } from './coap-udp-endpoint.js';

/** By default, Linux keeps 256 of these, and it grants twice the size that is requested. */
const datagrams = 400;
const receiveBufferBytes = 200_000;

describe('the receive buffer', () => {
  const endpoint = new CoapUdpEndpoint({
    host: '127.0.0.1',
    receiveBufferBytes,
    onRequest: () => Promise.resolve({ code: Code.Changed }),
  });
  const device = createSocket('udp4');

  beforeEach(() => new Promise<void>((bound) => device.bind(0, '127.0.0.1', bound)));

  afterEach(async () => {
    device.close();
    await endpoint.close();
  });

  it('keeps what many devices send at once while the process does not read', async () => {
    const { port, receiveBufferBytes: granted } = await endpoint.listen();
    expect(granted).toBeGreaterThanOrEqual(receiveBufferBytes);
    for (let n = 0; n < datagrams; n++) device.send(encodeEmpty('CON', n), port, '127.0.0.1');
    const deadline = performance.now() + 60_000;
    while (endpoint.counters()['datagram-received'] < datagrams && performance.now() < deadline)
      await new Promise((looked) => setTimeout(looked, 10));
    expect(endpoint.counters()['datagram-received']).toBe(datagrams);
  });
});
