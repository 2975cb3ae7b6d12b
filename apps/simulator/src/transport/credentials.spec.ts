import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { isPreSharedKey, readCredentials } from './credentials.js';

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
const read = (...lines: string[]) => {
  const path = join(folder, 'credentials');
  writeFileSync(path, lines.join('\n'));
  return readCredentials(path);
};

describe('a file of credentials', () => {
  it('has keys, certificates and raw public keys, from files beside it', () => {
    const { certificate, privateKey } = selfSigned('b');
    writeFileSync(join(folder, 'b.pem'), certificate);
    writeFileSync(join(folder, 'b.key'), privateKey);
    const [a, b, c, ...more] = read('a id-a 00ff', '', 'b x509 b.pem b.key', 'c raw-public-key b.key', '');
    expect([a, more]).toEqual([{ name: 'a', identity: 'id-a', key: Buffer.from([0, 255]) }, []]);
    for (const [credential, chainLength] of [[b, 1] as const, [c, 0] as const]) {
      if (!credential || isPreSharedKey(credential)) throw new Error('it has a certificate');
      expect(credential.chain).toHaveLength(chainLength);
      expect(credential.privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    }
  });

  it.each([
    ['a id-a', 'line 2 must be one of'],
    ['a id-a 0ff', 'line 2 must be one of'],
    ['a id-a 00ff more', 'line 2 must be one of'],
    ['a x509 nowhere.pem nowhere.key', 'line 2: ENOENT'],
    ['a raw-public-key credentials', 'line 2: '],
    ['a x509 credentials credentials', 'has no certificate'],
    ['ok other 01', 'SIMULATOR_CREDENTIALS_FILE line 2 names ok, as line 1 does'],
  ])('is refused with the line %s', (line, problem) => {
    expect(() => read('ok id 00', line)).toThrow(problem);
  });

  it('that is none is an error of the setting', () => {
    const missing = join(folder, 'nowhere');
    expect(() => readCredentials(missing)).toThrow('SIMULATOR_CREDENTIALS_FILE names a file that cannot be read: ');
  });

  it('is refused without a line', () => {
    expect(() => read('', ' ')).toThrow('names no device');
  });
});
