/** Lines of JSON out of a gzip file, one at a time. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/**
 * Only \n ends a line. JSON contains U+2028 and U+2029 as they are, and `readline` takes them for line ends. Throws what
 * the file system and zlib say of a file that is missing, damaged or cut off.
 */
export const jsonLines = async function* <T>(file: string): AsyncGenerator<T> {
  // An error is thrown where the text is read.
  const texts = pipeline(createReadStream(file), createGunzip(), () => undefined).setEncoding('utf8');
  let begun: string[] = [];
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
};
