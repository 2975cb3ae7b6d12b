/** Lines of JSON into a gzip file, and out of it, one at a time. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { pipeline as piped } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { Stop } from '../lanyard/project.ts';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : error);

/** The file is there once all of it is written, for its owner only. Throws Stop with what the file system says. */
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

/** A file with the lines that `give` writes; none when it throws. Resolves with what `give` does. */
export const writeJsonLines = async <T>(
  file: string,
  give: (write: (line: object) => Promise<void>) => Promise<T>,
): Promise<T> => {
  const gzip = createGzip();
  const written = writeFile(gzip, file);
  // It may fail while `give` waits for something else. Then the next line throws why.
  const settled = written.catch(() => undefined);
  const write = async (line: object) => {
    if (gzip.destroyed) await written;
    if (!gzip.write(`${JSON.stringify(line)}\n`)) await once(gzip, 'drain').catch(() => written);
  };
  try {
    const given = await give(write);
    gzip.end();
    await written;
    return given;
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
  let begun: string[] = [];
  try {
    for await (const text of texts as AsyncIterable<string>) {
      const [end = '', ...others] = text.split('\n');
      begun.push(end);
      for (const other of others) {
        yield JSON.parse(begun.join(''));
        begun = [other];
      }
    }
    const last = begun.join('');
    if (last !== '') yield JSON.parse(last);
  } catch (error) {
    throw new Stop(`${file} could not be read: ${messageOf(error)}`);
  }
};
