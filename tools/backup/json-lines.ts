/** Lines of JSON into a gzip file, and out of it, one at a time. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { pipeline as piped } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { Stop } from '../lanyard/project.ts';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : error);

/**
 * The file gets its name only when all of it is written, and only its owner can read it. Throws Stop with what the file
 * system says.
 */
const writeFile = async (gzip: Gzip, file: string) => {
  const unfinished = `${file}.unfinished`;
  try {
    await piped(gzip, createWriteStream(unfinished, { mode: 0o600 }));
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Stop(`${file} could not be written: ${messageOf(error)}`);
  }
};

/** Creates a file with the lines that `writeLines` writes, or none when it throws. Resolves with its result. */
export const writeJsonLines = async <T>(
  file: string,
  writeLines: (write: (line: object) => Promise<void>) => Promise<T>,
): Promise<T> => {
  const gzip = createGzip();
  const written = writeFile(gzip, file);
  // The file may fail while `writeLines` waits for something else. Its next line is then rejected with the reason.
  const settled = written.catch(() => undefined);
  const write = async (line: object) => {
    if (gzip.destroyed) await written;
    if (!gzip.write(`${JSON.stringify(line)}\n`)) await once(gzip, 'drain').catch(() => written);
  };
  try {
    const result = await writeLines(write);
    gzip.end();
    await written;
    return result;
  } catch (error) {
    gzip.destroy();
    await settled;
    throw error;
  }
};

/**
 * Only \n ends a line: JSON may contain U+2028 and U+2029 unescaped, which `readline` takes for line ends. Throws Stop with
 * what the file system or zlib says of a file that is missing, damaged or cut off.
 */
export const jsonLines = async function* <T>(file: string): AsyncGenerator<T> {
  // No callback is needed: the loop that reads the text gets the error.
  const texts = pipeline(createReadStream(file), createGunzip(), () => undefined).setEncoding('utf8');
  /** The pieces of the line whose end was not read yet. */
  let pieces: string[] = [];
  try {
    for await (const text of texts as AsyncIterable<string>) {
      const [end = '', ...starts] = text.split('\n');
      pieces.push(end);
      for (const start of starts) {
        yield JSON.parse(pieces.join(''));
        pieces = [start];
      }
    }
    const last = pieces.join('');
    if (last !== '') yield JSON.parse(last);
  } catch (error) {
    throw new Stop(`${file} could not be read: ${messageOf(error)}`);
  }
};
