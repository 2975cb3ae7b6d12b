import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dropTornTransaction } from './lanyard/redis-log.ts';

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

const transaction = command('MULTI') + command('SET', 'a', '1') + command('SET', 'b', '2') + command('EXEC');

describe('the log of a Redis that was killed', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'redis-log-'));
    path = join(folder, 'appendonly.aof');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const kept = (text: string): string => {
    writeFileSync(path, text);
    const dropped = dropTornTransaction(path);
    const left = readFileSync(path, 'utf8');
    expect(left.length + dropped).toBe(text.length);
    return left;
  };

  it('loses a transaction without its end, wherever it was torn', () => {
    const whole = command('SET', 'x', '1') + transaction;
    for (let torn = 0; torn < transaction.length; torn++) {
      // Torn within its first command it is no transaction yet: Redis drops that by itself.
      const isBegun = torn >= command('MULTI').length;
      const text = whole + transaction.slice(0, torn);
      expect(kept(text)).toBe(isBegun ? whole : text);
    }
  });

  it('stays as it is when it is whole', () => {
    for (const text of ['', command('SET', 'x', '1'), transaction, transaction + command('SET', 'x', '1')])
      expect(kept(text)).toBe(text);
  });

  it('may not exist yet', () => {
    expect(dropTornTransaction(join(folder, 'nothing'))).toBe(0);
  });
});
