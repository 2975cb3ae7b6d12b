import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { routedPrefixes, routeOf } from '../proxy/routes.js';

interface Answer {
  description: string;
  headers?: Record<string, object>;
}

interface Operation {
  parameters?: { name: string; schema: { type?: string } }[];
  responses: Record<string, object>;
  security?: object[];
}

/** The committed document is what the code says: tools/check-docs.ts. */
const { paths, components } = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer>; schemas: Record<string, { required?: string[] }> };
};

const resolved = (answer: { $ref?: string } | undefined): Answer => {
  const name = answer?.$ref?.split('/').at(-1);
  return (name === undefined ? answer : components.responses[name]) as Answer;
};

/** Where a schema has null among its choices, but a type that is not null. */
const refusedNulls = (schema: unknown, at: string): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, anyOf } = schema as { type?: unknown; anyOf?: unknown };
  const choices: { type?: unknown }[] = Array.isArray(anyOf) ? anyOf : [];
  const takesNull = choices.some((choice) => choice.type === 'null');
  const inner = Object.entries(schema).flatMap(([name, one]) => refusedNulls(one, `${at}/${name}`));
  return takesNull && type !== undefined && ![type].flat().includes('null') ? [at, ...inner] : inner;
};

/** The paths that the gateway serves itself (app.module.ts). */
const own =
  /^\/v3\/((session|users|api-keys|policy-groups|applications|access-keys|accounts|explain|statistics)(\/|$)|attention$)/;

const isBelow = (prefix: string, path: string): boolean => {
  const [wanted, given] = [prefix.split('/'), path.split('/')];
  return wanted.every((segment, n) => (segment === '*' ? given[n]?.startsWith('{') : segment === given[n]));
};

describe('the OpenAPI document and the route table', () => {
  it.each(Object.keys(paths))('%s leads to the gateway or to one service', (path) => {
    expect(own.test(path)).toBe(routeOf(path) === undefined);
  });

  it.each(routedPrefixes)('%s has operations', (prefix) => {
    expect(Object.keys(paths).filter((path) => isBelow(prefix, path))).not.toEqual([]);
  });

  it('names for every operation what happens without key, without permission, too fast, and when all goes wrong', () => {
    for (const [path, item] of Object.entries(paths))
      for (const [method, { responses }] of Object.entries(item))
        expect([method, path, Object.keys(responses)]).toEqual([
          method,
          path,
          expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
        ]);
  });

  it('requires a key of every operation, except to sign in and to learn how', () => {
    const declared = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security }]) =>
        security ? [[`${method.toUpperCase()} ${path}`, security] as const] : [],
      ),
    );
    expect(Object.fromEntries(declared)).toEqual({
      'POST /v3/session': [],
      'DELETE /v3/session': [{ bearer: [] }, {}],
      'GET /v3/session/oidc': [],
      'POST /v3/session/oidc/device': [],
      'POST /v3/session/oidc/device/token': [],
      'GET /v2/notification/websocket-connect': [{ bearer: [] }],
    });
  });

  it('says which operations beside lists may run out of time at the database', () => {
    const slow = [
      ['delete', '/v3/device-groups/{id}'],
      ['post', '/v3/device-suspensions'],
      ['get', '/v3/device-imports/{id}/errors'],
      ['delete', '/v3/device-imports/{id}'],
      ['get', '/v3/key-subscriptions/{id}'],
      ['delete', '/v3/key-subscriptions/{id}'],
      ['get', '/v3/devices/{deviceId}/history'],
      ['delete', '/v3/update-campaigns/{id}'],
      ['get', '/v3/update-campaigns/{id}/progress'],
    ] as const;
    for (const [method, path] of slow)
      expect([method, path, resolved(paths[path]?.[method]?.responses['504'])]).toEqual([
        method,
        path,
        expect.objectContaining({ description: expect.stringMatching(/^The database query timed out/) }),
      ]);
  });

  it('has fractions only in the thresholds of an observation', () => {
    const parameters = Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.parameters));
    const fractions = parameters.flatMap((one) => (one?.schema.type === 'number' ? [one.name] : []));
    expect([...new Set(fractions)].toSorted()).toEqual(['gt', 'lt', 'st']);
  });

  it('accepts null wherever it is one of the choices', () => {
    expect([...refusedNulls(paths, 'paths'), ...refusedNulls(components.schemas, 'schemas')]).toEqual([]);
  });

  it('says that the list of credentials always has its total', () => {
    expect(components.schemas['DeviceCredentialList']?.required).toContain('total_count');
  });

  it('says of every refusal for the rate, and of every outage, how long to wait', () => {
    for (const [path, item] of Object.entries(paths))
      for (const [method, { responses }] of Object.entries(item))
        for (const status of ['429', '503'])
          expect([method, path, resolved(responses[status])]).toEqual([
            method,
            path,
            expect.objectContaining({
              headers: expect.objectContaining({ 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
              description: expect.stringMatching(status === '429' ? /Too many requests: wait for the time/ : /./),
            }),
          ]);
  });

  it('says where changes of a channel wait for each other', () => {
    const waiting = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { responses }]) => /Other changes of the channel/.test(resolved(responses['429']).description))
        .map(([method]) => `${method} ${path}`),
    );
    const all = Object.entries(paths)
      .filter(([path]) => /^\/v2\/notification\/(callback|websocket|pull)(\/|$)|\/signing-secrets/.test(path))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
    // Reads are independent of other requests; a poll may create its channel.
    expect(waiting.toSorted()).toEqual(
      all.filter((one) => !one.startsWith('get ') || one === 'get /v2/notification/pull').toSorted(),
    );
  });

  it('refers only to answers that it has', () => {
    for (const [, name] of JSON.stringify(paths).matchAll(/#\/components\/responses\/(\w+)/g))
      expect(components.responses).toHaveProperty(name as string);
  });
});
