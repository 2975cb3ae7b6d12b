import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
import { timeOf } from '../output/time.js';
import { addKeys } from './keys.js';

const until = '2030-01-02T03:04:05.000000Z';
const made = { id: 'k1', name: 'meters', key: 'ak_1whole' };

interface Options {
  /** The key as the service gives it. */
  record?: object;
  json?: boolean;
  /** The key is made, and not yet in its file. */
  onMade?: () => void;
}

/** Makes a key for the file. Resolves to what is printed. */
const run = async (
  action: string,
  file: string,
  { record = made, json = false, onMade }: Options = {},
): Promise<string> => {
  const bench = new CommandBench(
    (request, response) => {
      const isList = request.method === 'GET';
      if (!isList) onMade?.();
      const answer = isList ? { object: 'list', data: [made], has_more: false } : record;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    },
    { json },
  );
  await bench.run(addKeys, ['keys', action, 'meters', '--out', file]);
  return bench.results();
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'lanyard-keys-'));

describe('a key that is written to its file', () => {
  it.each(['create', 'rotate'])('%s: is not printed, but as JSON the rest of its record is', async (action) => {
    const folder = newFolder();
    expect(JSON.parse(await run(action, join(folder, 'one'), { json: true }))).toEqual({ id: 'k1', name: 'meters' });
    expect(await run(action, join(folder, 'other'))).toBe('');
    for (const file of ['one', 'other']) expect(readFileSync(join(folder, file), 'utf8')).toBe('ak_1whole\n');
    rmSync(folder, { recursive: true });
  });
});

describe('a key that cannot be written to its file', () => {
  it.each([
    ['create', made, '"lanyard keys rotate k1" gives the key another one.'],
    [
      'rotate',
      { ...made, previous_secret_expires_at: until },
      `The previous secret stays valid until ${timeOf(until)}. ` +
        '"lanyard keys rotate k1" gives the key another one, and ends the previous one at once.',
    ],
  ])('%s: says what another rotation does', async (action, record, advice) => {
    const folder = newFolder();
    // The file can be created, and is gone when the key is there.
    const onMade = (): void => rmSync(folder, { recursive: true });
    await expect(run(action, join(folder, 'key'), { record, onMade })).rejects.toMatchObject({ exitCode: 1, advice });
    expect(existsSync(folder)).toBe(false);
  });
});
