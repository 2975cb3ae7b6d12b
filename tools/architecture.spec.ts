import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const filesMax = 20;

/** The files that the steps of each walk name, by the title of the walk. */
const walks = new Map(
  readFileSync(at('docs/architecture.md'), 'utf8')
    .split(/^## /m)
    .filter((section) => section.startsWith('Walk: '))
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path as string),
    ]),
);

describe('the walks in docs/architecture.md', () => {
  it('are four', () => {
    expect(walks.size).toBe(4);
  });

  it.each([...walks])('%s names files that exist, and not too many', (_title, paths) => {
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.length).toBeLessThanOrEqual(filesMax);
    expect(paths.filter((path) => !existsSync(at(path)))).toEqual([]);
  });
});
