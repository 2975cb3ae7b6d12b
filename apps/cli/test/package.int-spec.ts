import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';

const folder = fileURLToPath(new URL('../', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'lanyard-pack-'));

afterAll(() => rmSync(empty, { recursive: true }));

it('the packed program runs in an empty folder, without a registry, and has the licences of what it contains', () => {
  execFileSync('npm', ['pack', '--pack-destination', empty], { cwd: folder, stdio: 'pipe' });
  expect(existsSync(join(folder, 'bundle'))).toBe(false);
  const [file] = readdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${file}`], { cwd: empty, stdio: 'pipe' });
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@lanyard']);
  const notices = readFileSync(join(empty, 'node_modules/@lanyard/cli/bundle/NOTICES.txt'), 'utf8');
  for (const bundled of ['commander', 'cli-table3', 'fastest-levenshtein', 'ws'])
    expect(notices).toMatch(new RegExp(`^${bundled} \\d[^\\n]*\\n\\n[^-]*Copyright`, 'm'));
  const run = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(join(empty, 'node_modules/.bin/lanyard'), args, {
      cwd: empty,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: empty },
    });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('forward') });
  expect(run('devices')).toMatchObject({ status: 4, stderr: expect.stringContaining('lanyard login') });
});
