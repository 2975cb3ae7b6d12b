import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
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
  it('refuses handshakes, and says when to try again', async () => {
    const server = createServer();
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
    try {
      const { port } = server.address() as AddressInfo;
      const socket = new WebSocket(`ws://127.0.0.1:${port}${connectPath}`);
      const [, response] = (await once(socket, 'unexpected-response')) as [
        unknown,
        { statusCode: number; headers: Record<string, string> },
      ];
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
      socket.on('error', nothing).terminate();
    } finally {
      server.close();
    }
  });
});
