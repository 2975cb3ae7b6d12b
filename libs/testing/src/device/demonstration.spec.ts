import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { Demonstration } from './demonstration.js';
import { type DeviceSecurity, withKey } from './device-security.js';

it.each<[string, DeviceSecurity | undefined]>([
  ['coap', undefined],
  ['coaps', withKey('device', '000102030405060708090a0b0c0d0e0f')],
])('a demonstration device that gets no answer over %s ends at once when it is stopped', async (scheme, security) => {
  // Receives, and never answers.
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  const said: string[] = [];
  const device = new Demonstration({
    name: 'thermo-1',
    server: `${scheme}://127.0.0.1:${server.address().port}`,
    ...(security && { security }),
    lifetimeSeconds: 60,
    periodSeconds: 5,
    queueMode: false,
    api: 'http://127.0.0.1:1',
    keyFile: 'no/admin.key',
    say: (text) => said.push(text),
  });
  const started = device.start();
  await once(server, 'message');
  await device.stop();
  await started;
  expect(said).toEqual([]);
  server.close();
});
