import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { createLogger, systemClock } from '@lanyard/service';
import type { GatewayConfig } from '../config.js';
import { upstreams } from '../upstreams.js';
import { Handshakes } from './handshake.js';
import { UpstreamReplicas } from './replicas.js';

it.each(['http', 'https'])('a handshake reaches a replica at an IPv6 address over %s', async (scheme) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '::1', listening));
  const { port } = server.address() as AddressInfo;
  const urls = Object.fromEntries(upstreams.map((upstream) => [upstream, [`${scheme}://[::1]:${port}`]]));
  const replicas = new UpstreamReplicas({ replicas: urls } as unknown as GatewayConfig, systemClock);
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const { signal } = new AbortController();
  expect(await new Handshakes(replicas, logger).requestUpgrade('/', headers, signal)).toBeUndefined();
  // One address is tried twice.
  expect(connections).toBe(2);
  await replicas.onApplicationShutdown();
  await new Promise((closed) => server.close(closed));
});
