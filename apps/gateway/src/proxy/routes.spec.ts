import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { deviceIn, permissionFor, type Route, routeOf, scopeRuleFor } from './routes.js';

describe('the upstream of a path', () => {
  it.each([
    ['/v3/devices', 'registry'],
    ['/v3/devices/0a/suspend', 'registry'],
    ['/v3/devices/0a/echo', 'snapshot'],
    ['/v3/devices/{id}/echo', 'snapshot'],
    ['/v3/devices/echo', 'registry'],
    ['/v3/device-groups/0a/devices/add', 'registry'],
    ['/v3/devices/0a/credentials/0b', 'registry'],
    ['/v3/trusted-certificates', 'registry'],
    ['/v3/bootstrap-profiles', 'registry'],
    ['/v3/device-block-categories', 'registry'],
    ['/v3/device-events/0a', 'event-log'],
    ['/v3/device-events/stream', 'event-log'],
    ['/v3/device-event-codes/106', 'event-log'],
    ['/v3/devicelog', 'event-log'],
    ['/v3/firmware-images', 'campaigns'],
    ['/v3/update-campaigns/0a/devices', 'campaigns'],
    ['/v3/device-requests', 'device-proxy'],
    ['/v3/object-models/0a', 'device-proxy'],
    ['/v2/device-requests/0a', 'device-proxy'],
    ['/v2/endpoints/0a/3/0/1', 'device-proxy'],
    ['/v2/subscriptions', 'device-proxy'],
    ['/v2/notification/callback', 'dispatcher'],
    ['/v2/notification/websocket-connect', 'dispatcher'],
    ['/v3/devicesx', undefined],
    ['/v3/device', undefined],
    ['/v3/api-keys', undefined],
    ['/v1/devices', undefined],
    ['/', undefined],
  ])('%s: %s', (path, upstream) => expect(routeOf(path)?.upstream).toBe(upstream));
});

type Operations = Record<string, { 'x-permission'?: string }>;

describe('the permission that the gateway asks for', () => {
  const document = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Operations>;
  };
  // The document is generated from the decorators of the controllers, which each service checks.
  const forwarded = Object.entries(document.paths).flatMap(([path, operations]) => {
    const route = routeOf(path);
    if (!route) return [];
    return Object.entries(operations).map(([method, { 'x-permission': declared }]) => ({
      operation: `${method.toUpperCase()} ${path}`,
      asked: permissionFor(route, method.toUpperCase()),
      declared,
    }));
  });

  it('is the one that the service declares, for every operation', () => {
    expect(forwarded.length).toBeGreaterThan(90);
    const different = forwarded.filter(({ asked, declared }) => asked !== declared);
    // The dispatcher checks the key of the handshake itself and answers with a close code.
    expect(different.map(({ operation }) => operation)).toEqual(['GET /v2/notification/websocket-connect']);
  });

  it('is declared for the operations of the gateway as well', () => {
    const all = Object.values(document.paths).flatMap((operations) => Object.values(operations));
    expect(all.filter((operation) => operation['x-permission'] === undefined)).toEqual([]);
  });
});

/** What a caller that is limited to device groups gets, said a second time. */
const scopeOf = (method: string, path: string): string => {
  if (/^\/v2\/(endpoints|subscriptions|device-requests)\/\{/.test(path) || /^\/v3\/devices\/\{/.test(path))
    return 'device';
  if (/^\/v3\/(device-event-codes|device-block-categories)/.test(path)) return 'open';
  if (/^\/v3\/(object-models|firmware-images)/.test(path)) return method === 'GET' ? 'open' : 'refused';
  if (/^\/v3\/device-groups\/\{id\}\/devices/.test(path)) return 'service';
  if (/^(\/v3\/(devices|device-groups)|\/v2\/endpoints)/.test(path)) return method === 'GET' ? 'service' : 'refused';
  if (/^\/v3\/(device-events|devicelog|device-requests|device-suspensions|update-campaigns)/.test(path))
    return 'service';
  if (/^\/v2\/(subscriptions|notification)|^\/v3\/channels/.test(path)) return 'service';
  return 'refused';
};

describe('a caller that is limited to device groups', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Operations>;
  };

  it('gets of every operation what is declared for it', () => {
    const different = Object.entries(paths).flatMap(([path, operations]) => {
      const route = routeOf(path);
      if (!route) return [];
      return Object.keys(operations)
        .map((method) => method.toUpperCase())
        .filter((method) => scopeRuleFor(route, method) !== scopeOf(method, path))
        .map((method) => `${method} ${path}: ${scopeRuleFor(route, method)}`);
    });
    expect(different).toEqual([]);
  });

  it.each([
    ['/v3/devices/0a', '0a'],
    ['/v3/devices/0a/echo', '0a'],
    ['/v3/devices/0a/credentials/0b', '0a'],
    ['/v2/endpoints/0a/3/0/1', '0a'],
    ['/v2/subscriptions/0a/3', '0a'],
    ['/v2/device-requests/0a', '0a'],
  ])('%s names the device %s', (path, device) => expect(deviceIn(routeOf(path) as Route, path)).toBe(device));
});
