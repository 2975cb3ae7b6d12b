import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lanyard Zürich ')));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the preset of Jest finds its parts in a clone whose path has spaces and letters beyond ASCII', async () => {
  const copy = join(folder, 'jest.preset.mjs');
  copyFileSync(join(root, 'jest.preset.mjs'), copy);
  const { default: preset } = (await import(pathToFileURL(copy).href)) as { default: object };
  expect(preset).toMatchObject({
    runtime: join(folder, 'tools/jest/runtime.ts'),
    testEnvironment: join(folder, 'tools/jest/environment.ts'),
    testRunner: join(folder, 'tools/jest/test-runner.ts'),
  });
});
