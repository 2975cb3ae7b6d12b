import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { HttpAdapterHost } from '@nestjs/core';
import { WebSocket } from 'ws';
import type { Telemetry } from '../delivery/telemetry.js';
import type { KeyDirectory } from '../keys/key-directory.js';
import { connectPath, WebSocketServer } from './websocket-server.js';
import type { WebSocketSessions } from './websocket-sessions.js';

const nothing = (): void => undefined;

describe('a replica that is stopping', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    const sockets = new WebSocketServer(
      { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost,
      { onRevoked: nothing, onChange: nothing } as unknown as KeyDirectory,
      { start: nothing, restart: nothing, stop: nothing } as unknown as WebSocketSessions,
      { sockets: nothing } as unknown as Telemetry,
      new TestClock(),
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    );
    sockets.onApplicationBootstrap();
    await sockets.onModuleDestroy();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => void server.close());

  it('refuses handshakes, and says when to try again', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${connectPath}`);
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      { statusCode: number; headers: Record<string, string> },
    ];
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    socket.on('error', nothing).terminate();
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
