import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';
import { linkInstalled } from './previous.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-previous-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packages of another checkout that wants the same', () => {
  it('are those of this one, also where a workspace has its own version', () => {
    copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
    expect(linkInstalled(folder)).toBe(true);
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const installed = Object.keys(packages).filter(
      (path) => path.includes('node_modules/') && !packages[path].link && existsSync(join(root, path)),
    );
    expect(installed.some((path) => path.startsWith('apps/'))).toBe(true);
    expect(installed.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });
});
