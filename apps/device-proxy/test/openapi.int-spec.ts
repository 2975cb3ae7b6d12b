import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem } from './test-system.js';

describe('the OpenAPI document', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('openapi');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  it('describes bodies in full and refers to nothing that is not there', async () => {
    const text = await (await fetch(`${proxy.url}/openapi.json`)).text();
    const document = JSON.parse(text) as { paths: Record<string, object>; components?: { schemas?: object } };
    expect(document.paths['/v2/device-requests/{deviceId}']).toMatchObject({
      post: {
        requestBody: {
          content: { 'application/json': { schema: { properties: { method: {}, uri: {}, expiry_seconds: {} } } } },
        },
      },
    });
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
      expect(document.components?.schemas).toHaveProperty(name as string);
  });
});
