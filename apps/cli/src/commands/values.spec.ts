import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { UsageError } from '../errors.js';
import { filterQuery, firstOf, headersOf } from './values.js';

describe('headers', () => {
  it('are read from a file, too: a credential need not be an argument, which other users see', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-headers-'));
    const file = join(folder, 'headers');
    writeFileSync(file, 'Authorization: Basic abc\r\n\nX-Site: north\n');
    const headers = headersOf([`@${file}`, 'X-Kind: test']);
    rmSync(folder, { recursive: true });
    expect(headers).toEqual({ authorization: 'Basic abc', 'x-site': 'north', 'x-kind': 'test' });
    expect(() => headersOf([`@${file}`])).toThrow(UsageError);
  });

  it.each(['Authorization Basic hunter2', 'X-Token: hunter2 ü'])('refuses %s and does not repeat it', (text) => {
    const refusal = (): unknown => headersOf([text]);
    expect(refusal).toThrow(UsageError);
    expect(refusal).not.toThrow(/hunter2/);
  });
});

it('a filter that is given twice is refused: only one of them would count', () => {
  const period = ['date_time__gte=2030-01-01', 'date_time__lte=2030-02-01'];
  expect(filterQuery(period)).toEqual({ date_time__gte: '2030-01-01', date_time__lte: '2030-02-01' });
  expect(() => filterQuery(['state=registered', 'state=deregistered'])).toThrow(UsageError);
});

it('the first items are taken without one more, which may be on the next page', async () => {
  let taken = 0;
  const items: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ value: ++taken }) }),
  };
  const first: number[] = [];
  for await (const item of firstOf(items, 2)) first.push(item);
  expect([first, taken]).toEqual([[1, 2], 2]);
});
