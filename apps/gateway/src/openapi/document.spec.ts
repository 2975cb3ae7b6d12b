import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ownedPrefixes, routeOf } from '../door/routes.js';

/** The committed document is what the code says: tools/check-docs.mjs. */
const { paths, components } = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>;
  components: { responses: Record<string, object> };
};

/** What the gateway serves by itself (app.module.ts). */
const own = /^\/v3\/(api-keys|policy-groups|applications|access-keys|accounts|explain)(\/|$)/;

const isBelow = (prefix: string, path: string): boolean => {
  const [wanted, given] = [prefix.split('/'), path.split('/')];
  return wanted.every((segment, n) => (segment === '*' ? given[n]?.startsWith('{') : segment === given[n]));
};

describe('the OpenAPI document and the route table', () => {
  it.each(Object.keys(paths))('%s leads to the gateway or to one service', (path) => {
    expect(own.test(path)).toBe(routeOf(path) === undefined);
  });

  it.each(ownedPrefixes)('%s has operations', (prefix) => {
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

  it('refers only to answers that it has', () => {
    for (const [, name] of JSON.stringify(paths).matchAll(/#\/components\/responses\/(\w+)/g))
      expect(components.responses).toHaveProperty(name as string);
  });
});
