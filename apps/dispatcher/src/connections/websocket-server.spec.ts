import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import type { HttpAdapterHost } from '@nestjs/core';
import { WebSocket } from 'ws';
import type { Telemetry } from '../delivery/telemetry.js';
import type { KeyDirectory } from '../keys/key-directory.js';
import { connectPath, WebSocketServer } from './websocket-server.js';
import type { WebSocketSessions } from './websocket-sessions.js';

const nothing = (): void => undefined;

/** Every key is accepted. */
const socketsOf = (server: Server): WebSocketServer => {
  const sockets = new WebSocketServer(
    { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost,
    { onRevoked: nothing, onChange: nothing, verify: async () => ({ keyId: 'k' }) } as unknown as KeyDirectory,
    { start: nothing, restart: nothing, stop: nothing, begin: async () => undefined } as unknown as WebSocketSessions,
    { sockets: nothing } as unknown as Telemetry,
    new TestClock(),
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  );
  sockets.onApplicationBootstrap();
  return sockets;
};

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

describe('a client that sends pings', () => {
  let server: Server;
  let client: Socket | undefined;

  afterEach(() => {
    client?.destroy();
    server.close();
  });

  it('gets a pong for the last of those that come at once, and not one for each', async () => {
    server = createServer();
    socketsOf(server);
    client = connect({ port: await listening(server), host: '127.0.0.1' });
    let received = '';
    client.setEncoding('latin1').on('data', (data) => (received += String(data)));
    client.write(
      `GET ${connectPath} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        `authorization: Bearer k\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${'A'.repeat(22)}==\r\n\r\n`,
    );
    await eventually(() => expect(received).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\n$/s));
    const before = received.length;
    // FIN and opcode 9, one masked byte, mask 0.
    client.write(Buffer.concat(Array.from({ length: 100 }, (_, n) => Buffer.from([0x89, 0x81, 0, 0, 0, 0, n]))));
    // FIN and opcode 10, one byte.
    await eventually(() => expect(Buffer.from(received.slice(-3), 'latin1')).toEqual(Buffer.from([0x8a, 1, 99])));
    expect(received.length - before).toBeLessThan(10 * 3);
  });
});

describe('a replica that is stopping', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    await socketsOf(server).onModuleDestroy();
    port = await listening(server);
  });
  afterEach(() => void server.close());

  it('refuses handshakes, and says when to try again', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${connectPath}`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    socket.on('error', nothing);
    const { statusCode, headers } = response;
    expect([statusCode, headers['retry-after'], await text(response)]).toEqual([503, '5', 'SERVICE_UNAVAILABLE']);
    socket.terminate();
  });

  it('does not keep the connection of a client that it has refused', async () => {
    const accepted = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.write(`GET ${connectPath} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`);
    const [connection] = (await accepted) as [Socket];
    await once(connection, 'close');
    client.destroy();
  });
});
