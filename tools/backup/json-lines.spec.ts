import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { jsonLines } from './json-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-lines-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = [
  { format: 'lanyard-backup-1' },
  { rows: [['line\u2028paragraph\u2029end', 'cr\r lf\n', null]] },
  // Longer than what zlib gives at a time, with characters that it cuts in two.
  { rows: [['🙂'.repeat(50_000)]] },
  { counts: { tables: {}, states: {} } },
];
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const fileOf = (name: string, content: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('the lines of a backup', () => {
  it('end with a line feed, whatever characters the texts in them have', async () => {
    expect(await Array.fromAsync(jsonLines(fileOf('whole', gzipSync(text))))).toEqual(lines);
  });

  it('are not complete in a file that is cut off, missing, or no backup', async () => {
    const cut = fileOf('cut', gzipSync(text).subarray(0, -20));
    await expect(Array.fromAsync(jsonLines(cut))).rejects.toThrow('unexpected end of file');
    await expect(Array.fromAsync(jsonLines(join(folder, 'missing')))).rejects.toThrow('ENOENT');
    const other = fileOf('other', Buffer.from(text));
    await expect(Array.fromAsync(jsonLines(other))).rejects.toThrow('incorrect header check');
  });
});
