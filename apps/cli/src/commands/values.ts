import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.js';
import { standardInput } from '../settings/standard-input.js';

/** Time for a file over a slow connection, which the service accepts as long as bytes arrive. */
export const uploadMaxMs = 3_600_000;

export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Expected a whole number from ${min}${max < 1e15 ? ` to ${max}` : ''}.`);
    return value;
  };

/** Collects the values of an option that may be repeated. */
export const collected = (text: string, before: string[] = []): string[] => [...before, text];

/** `state=registered`, `name__neq=a` → a query. */
export const filterQuery = (filters: readonly string[] = []): Record<string, string> => {
  const values = new Map<string, string>();
  for (const text of filters) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`"${text}" is not a filter.`, 'Write field=value, for example state=registered.');
    const field = text.slice(0, at);
    if (values.has(field))
      throw new UsageError(
        `The filter "${field}" is given twice.`,
        'Write several values as one filter, for example state__in=registered,deregistered.',
      );
    values.set(field, text.slice(at + 1));
  }
  return Object.fromEntries(values);
};

/** `@file` stands for the lines of a file: other users can see the arguments of programs, and shells store them. */
const linesOf = (given: string): string[] => {
  if (!given.startsWith('@')) return [given];
  try {
    const lines = readFileSync(given.slice(1), 'utf8').split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '');
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`);
  }
};

/** `Authorization: Basic abc` → headers of requests. A text that is no header may still be a credential, so no error repeats it. */
export const headersOf = (given: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    given.flatMap(linesOf).map((text) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError('A header must be written as name: value, in ASCII characters.');
      return [name.toLowerCase(), value];
    }),
  );

/** The content of a file; `-`: of the standard input. */
export const contentOf = async (file: string, signal: AbortSignal): Promise<Uint8Array> => {
  try {
    return file === '-' ? await standardInput(signal) : readFileSync(file);
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`);
  }
};

/** The first `max` items, at least one. Takes no further item, because that could request another page. */
export async function* firstOf<T>(items: AsyncIterable<T>, max: number): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    yield item;
    if (++count >= max) return;
  }
}
