import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

describe('a stop', () => {
  let gateway: TestSystem;
  let registry: Upstream;

  beforeAll(async () => {
    registry = await new Upstream().listen();
    gateway = await (await TestSystem.corner('stop')).start({ GATEWAY_REGISTRY_URLS: registry.url });
  });
  afterAll(async () => {
    await gateway?.stop();
    await registry?.stop();
  });

  it.each([
    ['that are passed on', '/v3/devices'],
    ['that the gateway answers itself', '/v3/attention'],
  ])('waits for the answers to requests %s', async (_, path) => {
    const variables = { GATEWAY_REGISTRY_URLS: registry.url, GATEWAY_DRAIN_TIMEOUT_MS: '9000' };
    const other = await startService(definition, gateway.config(variables));
    const held: ServerResponse[] = [];
    registry.handler = (_request, response) => void held.push(response);
    const headers = { authorization: `Bearer ${gateway.adminKey}` };
    const status = fetch(other.url + path, { headers }).then(
      (response) => response.status,
      () => 'cut off',
    );
    await eventually(() => held.length === 1);
    const stopped = other.stop();
    try {
      await eventually(async () => {
        const probe = await fetch(`${other.url}/healthz`);
        expect(probe.headers.get('connection')).toBe('close');
      });
    } finally {
      held[0]?.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data: [] }));
      await stopped;
    }
    expect(await status).toBe(200);
  });
});
