import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { kafka } from './lanyard/infrastructure-processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-kafka-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As java.util.Properties does: ISO 8859-1, with escapes. */
const readByJava = (path: string): string =>
  readFileSync(path, 'latin1').replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code: string | undefined, other: string) =>
    code === undefined ? other : String.fromCharCode(parseInt(code, 16)),
  );

it.each(['with a space', 'Zürich', 'проект', '🙂', 'back\\slash'])('Kafka finds its log in "%s"', (name) => {
  const data = join(folder, name);
  const log = join(data, 'kafka/log');
  const binaries = join(folder, 'binaries');
  for (const path of [log, join(binaries, 'kafka')]) mkdirSync(path, { recursive: true });
  // Its storage is formatted already.
  writeFileSync(join(log, 'meta.properties'), '');
  const { args, env } = kafka({ binaries, data, logs: join(data, 'logs'), fast: true }, 1, 2);
  const properties = args.at(-1) ?? '';
  expect(properties).toBe(join(data, 'kafka/server.properties'));
  expect(readByJava(properties).split('\n')).toContain(`log.dirs=${log}`);
  expect(env).toMatchObject({ LC_ALL: 'C.UTF-8' });
});

it.each([
  ['data', 'comma', { data: join(folder, 'a,b'), binaries: join(folder, 'binaries') }],
  ['programs', 'colon', { data: join(folder, 'data'), binaries: join(folder, 'a:b') }],
])('a folder of its %s whose path has a %s is refused', (_, separator, { data, binaries }) => {
  const make = (): unknown => kafka({ binaries, data, logs: join(data, 'logs'), fast: true }, 1, 2);
  expect(make).toThrow(`a folder whose path has a ${separator}`);
  expect(existsSync(data)).toBe(false);
});
