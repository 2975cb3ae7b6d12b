import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { DtlsServer } from '@lanyard/dtls';
import { withKey } from './device-security.js';
import { DtlsLine } from './dtls-line.js';
import { localHostFor } from './local-host.js';

const keyHex = '000102030405060708090a0b0c0d0e0f';
const none = { receive: () => undefined, disconnected: () => undefined, count: () => undefined };

/** This machine as others see it. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address);

describe('a device over DTLS', () => {
  it.each(['127.0.0.1', ...outside.slice(0, 1)])('reaches a server at %s', async (host) => {
    const socket = createSocket('udp4');
    const remotes: string[] = [];
    const server = new DtlsServer({
      keyOf: () => Buffer.from(keyHex, 'hex'),
      send: (datagram, { address, port }) => socket.send(datagram, port, address),
      onConnected: ({ remote }) => remotes.push(remote.address),
      onMessage: () => undefined,
    });
    socket.on('message', (datagram, from) => server.receive(datagram, from));
    socket.bind(0, host);
    await once(socket, 'listening');
    const { port } = socket.address();
    const line = new DtlsLine({ server: { host, port }, security: withKey('device', keyHex) });
    await line.bind(none);
    expect(remotes).toEqual([host]);
    await line.close();
    socket.close();
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['192.0.2.1', '0.0.0.0'],
    ['::1', '::'],
  ])('talks to %s from %s', (server, address) => expect(localHostFor(server)).toBe(address));
});
