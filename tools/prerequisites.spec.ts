import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-prerequisites-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, prints: string): void =>
  writeFileSync(join(folder, name), `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 });

/** What a check says on a machine that has only these programs. */
const problemsWith = (maven: string): string => {
  program('java', 'openjdk version "21.0.2" 2024-01-16');
  program('tar', '');
  program('mvn', `Apache Maven ${maven} (0123456789abcdef)`);
  const script = `
    import { checkInfrastructurePrerequisites } from './tools/lanyard/prerequisites.ts';
    checkInfrastructurePrerequisites();`;
  const args = ['--input-type=module', '-e', script];
  return spawnSync(process.execPath, args, { cwd: root, env: { PATH: folder }, encoding: 'utf8' }).stderr;
};

it.each(['3.0.5', '3.5.4'])('Maven %s is too old', (version) => {
  expect(problemsWith(version)).toContain('  Maven 3.6 or later:  ');
});

it.each(['3.6.0', '3.10.1', '4.0.0-rc-5'])('Maven %s is new enough', (version) => {
  expect(problemsWith(version)).toBe('');
});
