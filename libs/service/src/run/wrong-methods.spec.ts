import { Controller, Delete, Get, Module, Post, Put } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommonConfig } from '../config/common.js';
import { MethodNotAllowed } from '../errors/service-error.js';
import { Public } from '../identity/guard.js';
import { type RunningService, startService } from './start-service.js';
import { IdentityModule } from '../identity/identity.module.js';

const config: CommonConfig = {
  app: 'demo',
  replicaId: 'demo-0',
  http: { host: '127.0.0.1', port: 0 },
  kafka: { brokers: [], topicPrefix: '' },
  logLevel: 'silent',
  secrets: { databaseUrl: '' },
};

@Public()
@Controller(['v3/things', 'v2/things'])
class ThingsController {
  @Get()
  list(): string {
    return 'things';
  }

  @Post()
  create(): string {
    return 'made';
  }

  @Get(':id')
  show(): string {
    return 'thing';
  }

  @Put(':id/*')
  write(): string {
    return 'written';
  }

  @Delete(':id')
  remove(): never {
    throw new MethodNotAllowed('Never.');
  }
}

@Module({ imports: [IdentityModule], controllers: [ThingsController] })
class ThingsModule {}

describe('a method that a path does not have', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ title: 'Demo', module: ThingsModule }, config);
  });
  afterAll(() => service.stop());

  it.each([
    ['PATCH', '/v3/things', 'GET, HEAD, POST'],
    ['DELETE', '/v3/things/', 'GET, HEAD, POST'],
    ['POST', '/v3/things/7?x=1', 'DELETE, GET, HEAD'],
    // A route that is there only to say so.
    ['DELETE', '/v3/things/7', 'GET, HEAD'],
    ['GET', '/v3/things/7/a/b', 'PUT'],
    ['PUT', '/healthz', 'GET, HEAD'],
  ])('%s %s: 405, Allow: %s', async (method, path, allow) => {
    const response = await fetch(service.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ object: 'error', type: 'method_not_supported' });
  });

  it('the word alone below /v2', async () => {
    const response = await fetch(`${service.url}/v2/things`, { method: 'PATCH' });
    expect([response.status, await response.text()]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });

  it.each(['/v3/nothing', '/v3', '/v3/other/7'])('404 for %s, which no method has', async (path) => {
    const response = await fetch(service.url + path, { method: 'PATCH' });
    expect([response.status, response.headers.get('allow')]).toEqual([404, null]);
  });

  it('400 for a field that names the prototype', async () => {
    const body = '{"name":"a","__proto__":{"admin":true}}';
    const response = await fetch(`${service.url}/v3/things`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ fields: [{ name: '__proto__', message: 'Unknown field' }] }),
    ]);
  });

  it('400 for a body that is not UTF-8', async () => {
    const body = new Uint8Array(Buffer.from('{"name":"\u00e4"}', 'latin1'));
    const response = await fetch(`${service.url}/v3/things`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ type: 'validation_error', fields: [{ name: 'body', message: 'must be UTF-8' }] }),
    ]);
  });
});
