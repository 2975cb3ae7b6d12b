import { MalformedImport } from './errors.js';

/** Longest row; a quote that is never closed must not fill the memory. */
const rowCharactersMax = 65_536;

/** What a spreadsheet takes for a formula (CWE-1236), with any apostrophes that stand in front of it. */
const formula = /^'*[=+\-@\t\r\n]/;

/** An apostrophe makes it a text. One is put before each, and taken away from each: what is written is read. */
const escaped = (text: string): string => (formula.test(text) ? `'${text}` : text);
const unescaped = (text: string): string => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One line of CSV (RFC 4180); nothing in it is a formula to a spreadsheet. */
export const csvRow = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(escaped(cell))).join(',')}\r\n`;

/** Reads CSV from text that comes in pieces: quotes, line ends of both kinds, a byte order mark, escaped formulas. */
export class CsvReader {
  private cells: string[] = [];
  private cell = '';
  /** `quote`: behind one within quotes, which is the last or the first of two. */
  private state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  private characters = 0;
  private started = false;

  /** Rows that are complete now; of an empty line, one empty cell. Throws MalformedImport. */
  push(piece: string): string[][] {
    const rows: string[][] = [];
    const text = this.started ? piece : piece.replace(/^\uFEFF/, '');
    this.started ||= piece !== '';
    for (const c of text) {
      if (++this.characters > rowCharactersMax) throw new MalformedImport('A row is longer than 65,536 characters');
      const row = this.readCharacter(c);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** The last row, when the text did not end with a line end. */
  end(): string[][] {
    if (this.state === 'quoted') throw new MalformedImport('A quoted cell is not closed');
    if (this.cells.length === 0 && this.cell === '') return [];
    return [this.endRow()];
  }

  private readCharacter(c: string): string[] | undefined {
    if (this.state === 'quoted') {
      if (c === '"') this.state = 'quote';
      else this.cell += c;
      return undefined;
    }
    // Elsewhere it is a character, as in 5" pipe: it must not swallow the rows up to the next one.
    if (c === '"' && this.state !== 'plain') {
      if (this.state === 'quote') this.cell += '"';
      this.state = 'quoted';
      return undefined;
    }
    if (c === '\n') return this.endRow();
    if (c === ',') this.endCell();
    else if (c !== '\r') {
      this.cell += c;
      this.state = 'plain';
    }
    return undefined;
  }

  private endCell(): void {
    this.cells.push(unescaped(this.cell));
    this.cell = '';
    this.state = 'start';
  }

  private endRow(): string[] {
    this.endCell();
    const row = this.cells;
    this.cells = [];
    this.characters = 0;
    return row;
  }
}
