import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from '../errors.js';
import { standardInput } from './standard-input.js';

/** Reads a line from the terminal without showing it. */
const prompted = (question: string): Promise<string> => {
  const silent = new Writable({ write: (_, __, done) => done() });
  return new Promise((resolve, reject) => {
    // Turns the echo off before the question is shown, so that a key that is pasted at once stays hidden.
    const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
    process.stderr.write(question);
    const end = (act: () => void): void => {
      act();
      lines.close();
      process.stderr.write('\n');
    };
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () => end(() => reject(new Interrupted())));
    lines.once('close', () => reject(new Interrupted()));
  });
};

const checked = (text: string, from: string): string => {
  const key = text.trim();
  if (key === '') throw new UsageError(`There is no key in ${from}.`);
  // A header with any other character would be refused with an error that shows the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`The content of ${from} is not a key.`);
  return key;
};

export const keyFromFile = (file: string): string => {
  try {
    return checked(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The key file cannot be read: ${(error as Error).message}`);
  }
};

export const keyFromText = (text: string, from: string): string => checked(text, from);

/** Asks for the key on a terminal; otherwise reads it from the pipe. */
export const keyFromInput = async (signal: AbortSignal): Promise<string> =>
  process.stdin.isTTY
    ? checked(await prompted('API key (not shown): '), 'the answer')
    : checked(String(await standardInput(signal)), 'the standard input');
