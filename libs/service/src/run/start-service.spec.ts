import {
  type BeforeApplicationShutdown,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  Post,
  Query,
} from '@nestjs/common';
import { StopDeadline } from '../lifecycle/stop-deadline.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newIdentityKeys } from '@lanyard/testing';
import { z } from 'zod';
import type { CommonConfig } from '../config/common.js';
import { NotFound } from '../errors/service-error.js';
import { AnyKey, Caller, RequiresPermission } from '../identity/guard.js';
import { type Identity, identityHeader, signIdentity } from '../identity/token.js';
import { Health } from '../health/health.js';
import { IdentityModule } from '../identity/identity.module.js';
import { type RunningService, startService } from './start-service.js';

const identityKeys = newIdentityKeys();

const config: CommonConfig = {
  app: 'demo',
  replicaId: 'demo-0',
  http: { host: '127.0.0.1', port: 0 },
  kafka: { brokers: [], topicPrefix: '' },
  logLevel: 'silent',
  secrets: { databaseUrl: '', identityKeys: [identityKeys.publicKey] },
};

const NamedSchema = z.strictObject({ name: z.string().max(5) }).meta({ id: 'Named' });

@AnyKey()
@Controller()
class DemoController {
  @Get('v3/who')
  who(@Caller() caller: Identity): string {
    return caller.keyId;
  }

  @Post('v3/names')
  @HttpCode(201)
  create(@Body({ schema: NamedSchema }) body: z.infer<typeof NamedSchema>): unknown {
    return body;
  }

  @Post('v3/refresh')
  @HttpCode(204)
  refresh(): void {}

  @Post('v2/things')
  thing(@Body({ schema: NamedSchema }) body: z.infer<typeof NamedSchema>): unknown {
    return body;
  }

  @Get('v2/gone')
  gone(): never {
    throw new NotFound('No such device.', 'DEVICE_NOT_FOUND');
  }

  @Get('v3/bug')
  bug(@Query('x') x: string): never {
    throw new TypeError(`secret detail ${x}`);
  }

  @RequiresPermission('admin')
  @Get('v3/admin')
  admin(): string {
    return 'ok';
  }
}

@Controller()
class UndeclaredController {
  @Get('v3/undeclared')
  undeclared(): string {
    return 'ok';
  }
}

@Module({ imports: [IdentityModule], controllers: [UndeclaredController] })
class UndeclaredModule {}

@Module({ imports: [IdentityModule], controllers: [DemoController] })
class DemoModule {}

@Module({ controllers: [DemoController] })
class UnguardedModule {}

const identity: Identity = {
  accountId: 'a'.repeat(32),
  keyId: 'b'.repeat(32),
  groups: [],
  permissions: ['devices'],
  tier: 'free',
  requestId: 'r',
};

describe('a started service', () => {
  let service: RunningService;
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.url + path, {
      ...init,
      headers: {
        [identityHeader]: signIdentity(identity, 'demo', identityKeys.privateKey, Date.now()),
        ...(init.headers as Record<string, string>),
      },
    });

  beforeAll(async () => {
    service = await startService({ title: 'Demo', module: DemoModule }, config);
  });
  afterAll(() => service.stop());

  it('knows the caller by the gateway token', async () => {
    const response = await call('/v3/who');
    expect([response.status, await response.text()]).toEqual([200, identity.keyId]);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('401 without a token, with one that another key signed, and with one for another service', async () => {
    expect((await fetch(`${service.url}/v3/who`)).status).toBe(401);
    const forged = signIdentity(identity, 'demo', newIdentityKeys().privateKey, Date.now());
    const misdirected = signIdentity(identity, 'another', identityKeys.privateKey, Date.now());
    expect((await call('/v3/who', { headers: { [identityHeader]: forged } })).status).toBe(401);
    expect((await call('/v3/who', { headers: { [identityHeader]: misdirected } })).status).toBe(401);
    expect((await call('/v3/who', { headers: { [identityHeader]: 'e30.e30' } })).status).toBe(401);
  });

  it('403 without the permission', async () => {
    expect((await call('/v3/admin')).status).toBe(403);
  });

  it('refuses to start with a route that does not say who may call it', async () => {
    const starting = startService({ title: 'Demo', module: UndeclaredModule }, config);
    await expect(starting).rejects.toThrow('UndeclaredController.undeclared');
  });

  it('refuses to start without a module that says whom the guard believes', async () => {
    const starting = startService({ title: 'Demo', module: UnguardedModule }, config);
    await expect(starting).rejects.toThrow('Symbol(Authenticator)');
  });

  it('takes JSON without a content type, doubled and trailing slashes', async () => {
    const response = await call('//v3//names/', { method: 'POST', body: Buffer.from('{"name":"abc"}') });
    expect([response.status, await response.json()]).toEqual([201, { name: 'abc' }]);
  });

  it.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/json; charset=utf-8',
    'application/json, charset=utf-8',
    'json',
    '',
  ])('takes JSON as "%s"', async (contentType) => {
    const response = await call('/v3/names', {
      method: 'POST',
      body: '{"name":"abc"}',
      headers: { 'content-type': contentType },
    });
    expect([response.status, await response.json()]).toEqual([201, { name: 'abc' }]);
  });

  it('400 names the field', async () => {
    const response = await call('/v3/names', { method: 'POST', body: '{"name":"too long"}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      object: 'error',
      code: 400,
      type: 'validation_error',
      fields: [{ name: 'name' }],
    });
  });

  it.each(['constructor', 'prototype'])('400 for a field called %s, as for any other unknown one', async (name) => {
    const response = await call('/v3/names', { method: 'POST', body: `{"name":"abc","${name}":{"a":1}}` });
    expect([response.status, await response.json()]).toMatchObject([400, { fields: [{ name }] }]);
  });

  it('400 for a body of more than 50,000 values, before each of them is named', async () => {
    const namesOf = async (values: number): Promise<unknown> => {
      // The body itself and the array are two of them.
      const body = JSON.stringify({ name: Array.from({ length: values - 2 }, () => 1) });
      const response = await call('/v3/names', { method: 'POST', body });
      const { fields } = (await response.json()) as { fields: object[] };
      return [response.status, fields];
    };
    expect(await namesOf(50_000)).toMatchObject([400, [{ name: 'name' }, { name: 'name' }]]);
    expect(await namesOf(50_001)).toEqual([400, [{ name: 'body', message: 'At most 50000 values' }]]);
  });

  it('400 names the fields where no body is taken, but 401 comes first', async () => {
    const withField = { method: 'POST', body: '{"name":"abc"}' };
    const refused = await call('/v3/refresh', withField);
    expect([refused.status, await refused.json()]).toMatchObject([400, { fields: [{ name: 'name' }] }]);
    expect((await call('/v3/refresh', { method: 'POST', body: '{}' })).status).toBe(204);
    expect((await fetch(`${service.url}/v3/refresh`, withField)).status).toBe(401);
  });

  it('400 for a body that is not JSON, in the form of the path', async () => {
    const v3 = await call('/v3/names', { method: 'POST', body: '{' });
    expect([v3.status, ((await v3.json()) as { type: string }).type]).toEqual([400, 'validation_error']);
    const v2 = await call('/v2/things', { method: 'POST', body: '{' });
    expect([v2.status, await v2.text()]).toEqual([400, 'MALFORMED_JSON_CONTENT']);
  });

  it('v2 answers the bare token, or the object when asked for JSON', async () => {
    expect(await (await call('/v2/gone')).text()).toBe('DEVICE_NOT_FOUND');
    const json = await call('/v2/gone', { headers: { accept: 'application/json' } });
    expect(await json.json()).toMatchObject({ code: 404, type: 'not_found', message: 'No such device.' });
  });

  it('400 for a path that cannot be decoded, in the form of the path', async () => {
    const v3 = await call('/v3/names/%zz');
    expect([v3.status, await v3.json()]).toMatchObject([400, { object: 'error', fields: [{ name: 'url' }] }]);
    expect(v3.headers.get('x-request-id')).toBeTruthy();
    const v2 = await call('/v2/things/%zz');
    expect([v2.status, await v2.text()]).toEqual([400, 'BAD_REQUEST']);
  });

  it('413 for a body over the limit', async () => {
    expect((await call('/v3/names', { method: 'POST', body: Buffer.alloc(1_100_000, 97) })).status).toBe(413);
  });

  it('404 for an unknown path', async () => {
    expect((await call('/v3/nothing')).status).toBe(404);
  });

  it('500 tells nothing of the inside', async () => {
    const response = await call('/v3/bug?x=1');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/secret detail|TypeError/);
  });

  it('serves probes, metrics and its OpenAPI document without a token', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('process_cpu');
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, { post: { responses: object } }>;
      components: { schemas: object };
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.components.schemas).toHaveProperty('Named');
    // The answers of the gateway when this service does not answer, or its connection breaks.
    const statuses = Object.keys(document.paths['/v3/names']?.post.responses ?? {});
    expect(statuses.filter((status) => Number(status) > 500)).toEqual(['503']);
  });

  it('is not ready while a check fails', async () => {
    service.app.get(Health).add('kafka', () => Promise.reject(new Error('away')));
    const response = await fetch(`${service.url}/readyz`);
    expect([response.status, ((await response.json()) as { checks: { kafka: string } }).checks.kafka]).toEqual([
      503,
      'away',
    ]);
    service.app.get(Health).add('kafka', () => undefined);
  });
});

describe('the stop of a service', () => {
  const calls: string[] = [];

  @Injectable()
  class Hanging implements BeforeApplicationShutdown {
    constructor(@Inject(StopDeadline) private readonly deadline: StopDeadline) {}

    beforeApplicationShutdown(): Promise<void> {
      return this.deadline.step('hangs', () => new Promise(() => undefined));
    }
  }

  class Closing implements OnApplicationShutdown {
    onApplicationShutdown(): void {
      calls.push('closed');
    }
  }

  class Failing implements OnModuleInit {
    onModuleInit(): Promise<void> {
      return Promise.reject(new Error('away'));
    }
  }

  @Module({ imports: [IdentityModule], providers: [Hanging, Closing] })
  class HangingModule {}

  @Module({ imports: [IdentityModule], providers: [Closing, Failing] })
  class FailingModule {}

  class Noting implements OnModuleInit, OnApplicationShutdown {
    constructor(private readonly name: string) {}

    onModuleInit(): void {
      calls.push(`start ${this.name}`);
    }

    onApplicationShutdown(): void {
      calls.push(`stop ${this.name}`);
    }
  }

  @Module({ providers: [{ provide: 'low', useFactory: () => new Noting('low') }] })
  class LowModule {}

  @Module({ imports: [LowModule], providers: [{ provide: 'middle', useFactory: () => new Noting('middle') }] })
  class MiddleModule {}

  @Module({
    imports: [LowModule, MiddleModule],
    providers: [{ provide: 'high', useFactory: () => new Noting('high') }],
  })
  class HighModule {}

  @Module({ imports: [IdentityModule, LowModule, MiddleModule, HighModule] })
  class ListModule {}

  it('ends within its deadline and closes the rest when one hook hangs', async () => {
    const service = await startService({ title: 'Demo', module: HangingModule }, { ...config, stopTimeoutMs: 600 });
    const begun = performance.now();
    await service.stop();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(calls).toEqual(['closed']);
  });

  it('goes by the order of a list of modules, from its end, as the start does from its beginning', async () => {
    calls.length = 0;
    const service = await startService({ title: 'Demo', module: ListModule }, config);
    await service.stop();
    expect(calls).toEqual(['start low', 'start middle', 'start high', 'stop high', 'stop middle', 'stop low']);
  });

  it('also follows a start that failed', async () => {
    calls.length = 0;
    await expect(startService({ title: 'Demo', module: FailingModule }, config)).rejects.toThrow('away');
    expect(calls).toEqual(['closed']);
  });
});
