import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Stop } from '../lanyard/project.ts';
import { jsonLines, writeJsonLines } from './json-lines.ts';

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
    const other = fileOf('other', Buffer.from(text));
    for (const [file, problem] of [
      [cut, 'unexpected end of file'],
      [join(folder, 'missing'), 'ENOENT'],
      [other, 'incorrect header check'],
    ] as const) {
      const found: unknown = await Array.fromAsync(jsonLines(file)).catch((error: unknown) => error);
      expect(found).toBeInstanceOf(Stop);
      expect(String(found)).toContain(`${file} could not be read: ${problem}`);
    }
  });
});

describe('a file that lines are written to', () => {
  const random = { rows: [[randomBytes(100_000).toString('base64')]] };

  /** As a backup does: many of them, however often it has to wait. */
  const many = async (write: (line: object) => Promise<void>): Promise<void> => {
    for (let n = 0; n < 50; n++) await write(random);
  };

  it('has them, for its owner only', async () => {
    const file = join(folder, 'written');
    const writeAll = async (write: (line: object) => Promise<void>): Promise<number> => {
      for (const line of lines) await write(line);
      await many(write);
      return lines.length + 50;
    };
    expect(await writeJsonLines(file, writeAll)).toBe(54);
    expect(await Array.fromAsync(jsonLines(file))).toEqual([...lines, ...Array.from({ length: 50 }, () => random)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is named with the reason when the disk is full, and nothing of it stays', async () => {
    const file = join(folder, 'full');
    symlinkSync('/dev/full', `${file}.unfinished`);
    await expect(writeJsonLines(file, many)).rejects.toThrow(`${file} could not be written: ENOSPC`);
    expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([]);
  });

  it('is named with the reason when its folder is missing', async () => {
    const file = join(folder, 'missing/file');
    await expect(writeJsonLines(file, many)).rejects.toThrow(`${file} could not be written: ENOENT`);
  });

  it('is not there when what is to be written cannot be read', async () => {
    const read = async (write: (line: object) => Promise<void>): Promise<void> => {
      await many(write);
      throw new Error('PostgreSQL has ended');
    };
    await expect(writeJsonLines(join(folder, 'ended'), read)).rejects.toThrow('PostgreSQL has ended');
    expect(readdirSync(folder).filter((name) => name.startsWith('ended'))).toEqual([]);
  });
});
