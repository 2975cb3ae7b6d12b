import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';
import { buildKustomization } from './kustomize.ts';

/** `2m` of ingress-nginx; a unit that is not expected fails the test. */
const mebibytesOf = (size: string): number => Number(/^(\d+)m$/.exec(size)?.[1]);

it('the ingress accepts imports as large as the gateway does, and other bodies only little larger than their limit', () => {
  const limits = buildKustomization(join(root, 'k8s/overlays/prod'))
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ metadata, spec }) => {
      const size = metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '1m';
      const { rules } = spec as { rules: { http: { paths: { path: string }[] } }[] };
      return rules.flatMap(({ http }) => http.paths.map(({ path }) => [path, mebibytesOf(size)] as const));
    });
  const limitOf = new Map(limits);
  expect(limitOf.get('/v3/device-imports')).toBeGreaterThan(256);
  for (const path of ['/v2', '/v3']) {
    expect(limitOf.get(path)).toBeGreaterThan(1);
    expect(limitOf.get(path)).toBeLessThanOrEqual(2);
  }
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
