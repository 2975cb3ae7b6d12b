import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { MalformedImport } from './errors.js';

/** Longest row; a quote that is never closed must not fill the memory. */
const rowCharactersMax = 65_536;

/** A character of UTF-8 has at most four bytes (RFC 3629, section 3). */
const rowBytesMax = 4 * rowCharactersMax;

/** Text that a spreadsheet treats as a formula (CWE-1236), or such text after apostrophes. */
const formula = /^'*[=+\-@\t\r\n]/;

/** An apostrophe makes it text. Writing adds one and reading removes one, so that values survive a round trip. */
const escaped = (text: string): string => (formula.test(text) ? `'${text}` : text);
const unescaped = (text: string): string => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One line of CSV (RFC 4180) without formulas. */
export const csvRow = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(escaped(cell))).join(',')}\r\n`;

/**
 * The table as a stream. Resolves when the first chunk has been read: until then, an error can still be sent as the
 * response. `rows`: lines of CSV, in chunks.
 */
export const csvTable = async (header: readonly string[], rows: AsyncGenerator<string, void>): Promise<Readable> => {
  const first = await rows.next();
  return Readable.from(
    (async function* () {
      yield csvRow(header);
      if (first.done === true) return;
      yield first.value;
      yield* rows;
    })(),
  );
};

const rowTooLong = 'A row is longer than 65,536 characters';

const refusals: Partial<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: rowTooLong,
  CSV_QUOTE_NOT_CLOSED: 'A quoted cell is not closed',
};

const readCells = (cells: string[]): string[] => {
  if ([...cells.join('')].length > rowCharactersMax) throw new MalformedImport(rowTooLong);
  return cells.map(unescaped);
};

/** Bytes that are read in one turn of the event loop: at most as many rows, of one byte each. */
const sliceBytes = 1_024;

/** Divides chunks, which may contain 65,536 rows each, so that other requests are served between their slices. */
async function* inSlices(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of text) {
    const bytes = Buffer.from(chunk);
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      yield bytes.subarray(from, from + sliceBytes);
      await nextTurn();
    }
  }
}

/**
 * Rows of a table that arrives in chunks: quotes, both kinds of line ends, a byte order mark, escaped formulas. An
 * empty line is a row of one empty cell. A quote inside an unquoted cell, as in 5" pipe, is an ordinary character:
 * otherwise all rows up to the next quote would become part of the cell. Throws MalformedImport.
 */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<string[]> {
  const parser = parse({
    bom: true,
    max_record_size: rowBytesMax,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
  });
  try {
    for await (const cells of Readable.from(inSlices(text)).compose(parser)) yield readCells(cells as string[]);
  } catch (error) {
    const refusal = error instanceof CsvError ? refusals[error.code] : undefined;
    throw refusal === undefined ? error : new MalformedImport(refusal);
  }
}
