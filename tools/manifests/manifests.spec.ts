import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';
import { differences } from './compare.ts';
import { buildKustomization, type Manifest } from './kustomize.ts';

/** `2m` of ingress-nginx; a unit that is not expected fails the test. */
const mebibytesOf = (size: string): number => Number(/^(\d+)m$/.exec(size)?.[1]);

const component = (name: string) => buildKustomization(join(root, 'k8s/components', name));

const ingressPaths = () =>
  component('ingress').flatMap(({ metadata, spec }) => {
    const size = metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '1m';
    const { rules } = spec as { rules: { http: { paths: { path: string }[] } }[] };
    return rules.flatMap(({ http }) => http.paths.map(({ path }) => [path, mebibytesOf(size)] as const));
  });

it('the ingress accepts uploads as large as the gateway does, and other bodies only little larger than their limit', () => {
  const limitOf = new Map(ingressPaths());
  for (const path of ['/v3/device-imports', '/v3/firmware-images']) expect(limitOf.get(path)).toBeGreaterThan(256);
  for (const path of ['/v2', '/v3']) {
    expect(limitOf.get(path)).toBeGreaterThan(1);
    expect(limitOf.get(path)).toBeLessThanOrEqual(2);
  }
});

it('the routes of the Gateway API and the ingress lead to the same paths', () => {
  const routed = component('gateway-api').flatMap(({ kind, spec }) =>
    kind === 'HTTPRoute'
      ? (spec as { rules: { matches: { path: { value: string } }[] }[] }).rules.flatMap(({ matches }) =>
          matches.map(({ path }) => path.value),
        )
      : [],
  );
  expect(routed.toSorted()).toEqual(
    ingressPaths()
      .map(([path]) => path)
      .toSorted(),
  );
});

it('a builder that makes another object, more or fewer is found out', () => {
  const map = (data: object, name = 'lanyard-common-0123456789') =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }) as Manifest;
  expect(differences([map({ A: '1' })], [map({ A: '1' }, 'lanyard-common-abcdef0123')], 'b')).toEqual([]);
  expect(differences([map({ A: '1' })], [map({ A: '2' })], 'b')).toEqual([
    'b makes another ConfigMap lanyard-common: /data/A',
  ]);
  expect(differences([map({})], [map({}), map({}, 'more')], 'b')).toEqual(['b also makes ConfigMap more']);
  expect(differences([map({}), map({}, 'more')], [map({})], 'b')).toEqual(['b makes no ConfigMap more']);
});

it('the script for Docker Compose generates every secret of the file, and changes none that exists', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-compose-'));
  const file = join(folder, '.env');
  const run = (): string => {
    execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), file]);
    return readFileSync(file, 'utf8');
  };
  writeFileSync(file, 'REDIS_PASSWORD=mine', { mode: 0o600 });
  const made = run();
  expect(run()).toBe(made);
  rmSync(folder, { recursive: true });
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const wanted = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const names = [...made.matchAll(/^(\w+)=\S+$/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([...new Set(wanted)].toSorted());
  expect(made).toMatch(/^REDIS_PASSWORD=mine\n/);
});
