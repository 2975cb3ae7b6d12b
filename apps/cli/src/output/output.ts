import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { onOneLine, printable, withoutSecrets } from './safe-text.js';

export interface OutputOptions {
  json: boolean;
  quiet: boolean;
  /** True on a terminal without NO_COLOR. */
  colour: boolean;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Column<T> {
  title: string;
  of: (item: T) => string | number | null | undefined;
  style?: (item: T) => Style | undefined;
}

export const idColumn: Column<{ id: string }> = { title: 'ID', of: ({ id }) => id, style: () => 'dim' };

/**
 * Rows that are collected before the column widths are chosen. The rest of a longer list keeps these widths; a cell that is
 * wider than its column shifts the rest of its own row only.
 */
const rowsMeasured = 500;

const noBorders = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** Where the columns of a row begin. */
const mark = '|';

/** The rows of a table, each of which is one line. */
const linesOf = (rows: readonly string[][]): string[] => {
  const plain = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ chars: noBorders, style: plain });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
};

/** Results go to the standard output, everything else to the standard error. */
export class Output {
  constructor(
    private readonly stdout: Writable,
    private readonly stderr: Writable,
    readonly options: OutputOptions,
  ) {}

  /** Resolves when the line is written. Rejects when the reader of the output is gone. */
  line(text: string): Promise<void> {
    return this.raw(`${text}\n`);
  }

  raw(content: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => this.stdout.write(content, (error) => (error ? reject(error) : resolve())));
  }

  json(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value, null, 2));
  }

  result(value: unknown, text: () => string): Promise<void> {
    return this.options.json ? this.json(value) : this.line(text());
  }

  /** Progress and remarks. */
  note(text: string): void {
    if (!this.options.quiet) this.complain(text);
  }

  /** Problems and instructions, which are written even with `--quiet`. */
  complain(text: string): void {
    this.stderr.write(`${withoutSecrets(printable(text))}\n`);
  }

  style(style: Style, text: string): string {
    return this.options.colour ? styleText(style, text) : text;
  }

  /** Field names and values of one record; empty ones are omitted. */
  async record(
    value: object,
    fields: readonly (readonly [string, string | number | null | undefined])[],
  ): Promise<void> {
    if (this.options.json) return this.json(value);
    const shown = fields.filter(([, text]) => text !== null && text !== undefined && text !== '');
    const width = Math.max(...shown.map(([name]) => name.length));
    for (const [name, text] of shown)
      await this.line(`${this.style('dim', name.padEnd(width))}  ${onOneLine(String(text))}`);
  }

  /** Prints a table, a JSON array, or with `--quiet` only the ids. Returns the number of items. */
  async list<T extends object>(
    items: AsyncIterable<T> | Iterable<T>,
    columns: readonly Column<T>[],
    idOf: (item: T) => string = (item) => (item as { id?: string }).id ?? '',
  ): Promise<number> {
    if (this.options.json) return this.jsonArray(items);
    let count = 0;
    const first: string[][] = [columns.map(({ title }) => this.style('bold', title))];
    let ruler: string[] | undefined;
    for await (const item of items) {
      count++;
      const cells = this.options.quiet ? [] : columns.map((column) => this.cell(column, item));
      if (this.options.quiet) await this.line(onOneLine(idOf(item)));
      else if (ruler) await this.line(linesOf([ruler, cells]).at(-1) ?? '');
      else if (first.push(cells) > rowsMeasured) ruler = await this.table(first);
    }
    if (first.length > 1 && !ruler) await this.table(first);
    return count;
  }

  /** Prints rows. Returns a row of cells that are as wide as the columns. */
  private async table(rows: readonly string[][]): Promise<string[]> {
    const [first = []] = rows;
    const lines = linesOf([...rows, first.map(() => mark)]);
    const marks = lines.pop() ?? '';
    await this.line(lines.join('\n'));
    const gaps = marks.split(mark).slice(1);
    return gaps.map((gap) => mark.repeat(Math.max(1, gap.length + mark.length - noBorders.middle.length)));
  }

  private cell<T>({ of, style }: Column<T>, item: T): string {
    const text = onOneLine(String(of(item) ?? ''));
    const wanted = style?.(item);
    return wanted ? this.style(wanted, text) : text;
  }

  private async jsonArray(items: AsyncIterable<object> | Iterable<object>): Promise<number> {
    let count = 0;
    for await (const item of items) {
      await this.raw(`${count === 0 ? '[\n' : ',\n'}  ${JSON.stringify(item)}`);
      count++;
    }
    await this.raw(count === 0 ? '[]\n' : '\n]\n');
    return count;
  }
}
