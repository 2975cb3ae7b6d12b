import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { madeOnce } from './lanyard/made-once.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-made-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('what is made once removes what killed processes left a day ago, and not what others make now', async () => {
  for (const name of ['new-left', 'new-begun', 'thing-earlier']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'part'), '');
  }
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  for (const name of ['new-left', 'thing-earlier']) utimesSync(join(folder, name), longAgo, longAgo);
  const made = await madeOnce(join(folder, 'thing-'), ['1'], async (own) => writeFileSync(join(own, 'part'), ''));
  expect(readdirSync(made)).toEqual(['part']);
  expect(new Set(readdirSync(folder))).toEqual(new Set(['new-begun', 'thing-earlier', basename(made)]));
});
