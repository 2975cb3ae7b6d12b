import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Paths of the first column of the table below that heading. */
const notOffered = (): string[] => {
  const section =
    read('docs/compatibility.md')
      .split('\n## ')
      .find((text) => text.startsWith('Not offered')) ?? '';
  return [...section.matchAll(/^\| `(\/\S+)`/gm)].map(([, path]) => path as string);
};

const shape = (path: string): string => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

describe('docs/compatibility.md', () => {
  it('lists as not offered only what the API does not have, nor anything below', () => {
    const offered = Object.keys((JSON.parse(read('docs/openapi.json')) as { paths: object }).paths).map(shape);
    const listed = notOffered().map(shape);
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.filter((path) => offered.some((one) => one === path || one.startsWith(`${path}/`)))).toEqual([]);
  });
});
