import { decimalAttributeMax, isPath, observeAttributes } from '@lanyard/lwm2m';
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

  it('says of the attributes of an observation what is accepted', async () => {
    interface Parameter {
      name: string;
      schema: { minimum?: number; maximum: number };
    }
    const { paths } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      paths: Record<string, { put?: { parameters: Parameter[] } }>;
    };
    const { parameters = [] } = paths['/v2/subscriptions/{deviceId}/{object}/{instance}/{resource}']?.put ?? {};
    for (const name of ['gt', 'lt', 'st']) {
      const { minimum, maximum } = parameters.find((one) => one.name === name)?.schema ?? {};
      expect([minimum, maximum]).toEqual([name === 'st' ? 0 : -decimalAttributeMax, decimalAttributeMax]);
      for (const value of [minimum, maximum])
        expect(observeAttributes('/3303/0/5700', { [name]: String(value) })).toBe(`${name}=${value}`);
    }
  });

  it('says of the numbers in a path what is accepted', async () => {
    interface Parameter {
      in: string;
      name: string;
      schema: { minimum: number; maximum: number };
    }
    const { paths } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      paths: Record<string, { get?: { parameters: Parameter[] } }>;
    };
    const { parameters = [] } = paths['/v2/endpoints/{deviceId}/{object}/{instance}']?.get ?? {};
    const numbers = parameters.filter((one) => one.in === 'path' && one.name !== 'deviceId');
    expect(numbers).toHaveLength(2);
    for (const { schema } of numbers) {
      const around = [schema.minimum, schema.maximum, schema.maximum + 1];
      expect(around.map((number) => isPath(`/${number}/${number}`))).toEqual([true, true, false]);
    }
  });

  it('says of all answers to a request with an Idempotency-Key, and of no others, how a repetition shows', async () => {
    type Responses = Record<string, { headers?: object }>;
    const { paths } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses: Responses }>>;
    };
    const showing = (path: string, method: string): string[] =>
      Object.entries(paths[path]?.[method]?.responses ?? {}).flatMap(([status, { headers }]) =>
        headers && 'Idempotency-Replayed' in headers ? [status] : [],
      );
    const resource = '/v2/endpoints/{deviceId}/{object}/{instance}/{resource}';
    expect(showing('/v2/device-requests/{deviceId}', 'post')).toEqual(['200', '202']);
    for (const method of ['put', 'post', 'delete']) expect(showing(resource, method)).toEqual(['202', '204']);
    expect(showing(resource, 'get')).toEqual([]);
  });
});
