import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { UsageError } from '../errors.js';
import { Profiles } from './profiles.js';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-profiles-'));
const profiles = new Profiles(folder);
const profile = { url: 'http://127.0.0.1:8080', key: 'ak_1' };

afterAll(() => rmSync(folder, { recursive: true }));

it('a file of profiles is read as it was edited', () => {
  writeFileSync(profiles.file, JSON.stringify({ current: 'own', profiles: { own: profile } }), { mode: 0o600 });
  expect([profiles.current, profiles.get('own')]).toEqual(['own', profile]);
});

it.each([
  '',
  'null',
  '5',
  '[]',
  '{}',
  '{"current":"own"}',
  '{"current":"own","profiles":null}',
  '{"profiles":{}}',
  '{"current":"own","profiles":{"own":null}}',
  '{"current":"own","profiles":{"own":{"url":"http://127.0.0.1:8080"}}}',
  '{"current":"own","profiles":{"own":{"url":8080,"key":"ak_1"}}}',
])('a file of profiles with %j is refused with its name', (text) => {
  writeFileSync(profiles.file, text, { mode: 0o600 });
  expect(() => profiles.current).toThrow(UsageError);
  expect(() => profiles.current).toThrow(profiles.file);
});
