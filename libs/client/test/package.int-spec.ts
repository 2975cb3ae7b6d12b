import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const folder = fileURLToPath(new URL('../', import.meta.url));

interface Manifest {
  exports: { '.': { types: string; default: string } };
  dependencies: Record<string, string>;
}

describe('the packed package', () => {
  it('holds what its manifest promises, and nothing but code, types and documents', () => {
    const manifest = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as Manifest;
    const output = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: folder, encoding: 'utf8' });
    // By name or in a list, as the version of npm has it.
    const [packed] = Object.values(JSON.parse(output) as Record<string, { files: { path: string }[] }>);
    const files = packed?.files.map(({ path }) => path) ?? [];
    const { types, default: code } = manifest.exports['.'];
    expect(files).toEqual(expect.arrayContaining([types.slice(2), code.slice(2), 'package.json', 'README.md']));
    expect(files.filter((file) => !/^dist\/.*\.(js|d\.ts)$|^package\.json$|^[A-Z]+(\.md)?$/.test(file))).toEqual([]);
    expect(Object.keys(manifest.dependencies)).toEqual(['ws']);
  });
});
