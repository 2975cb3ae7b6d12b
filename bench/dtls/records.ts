/** The cost of one record: sealing and opening 64 bytes, by cipher suite, with a connection id, and the part of node:crypto in it. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { CIPHER_SUITES, type CipherSuite } from '@lanyard/dtls';
import { keyBlockBytes } from '../../libs/dtls/dist/crypto/key-block.js';
import { packBytes } from '../../libs/dtls/dist/crypto/packed-bytes.js';
import { createProtection } from '../../libs/dtls/dist/crypto/protection.js';
import { decodeRecord } from '../../libs/dtls/dist/messages/record.js';
import { Epoch } from '../../libs/dtls/dist/record/epoch.js';
import { median, round } from '../statistics.ts';
import type { Bench } from '../benches.ts';

const applicationData = 23;
const recordsPerRound = 20_000;
const roundsMin = 7;
const text = randomBytes(64);
const id = randomBytes(8);

/** CPU time of one call, in microseconds. */
const cpuOf = (count: number, each: (index: number) => void) => {
  const before = process.threadCpuUsage();
  for (let index = 0; index < count; index++) each(index);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / count;
};

interface Cost {
  sealUs: number;
  openUs: number;
}

const measure = (suite: CipherSuite): Cost => {
  const keys = packBytes(randomBytes(keyBlockBytes(suite)));
  const client = new Epoch({ number: 1, protection: createProtection(suite, keys, 'client'), sendConnectionId: id });
  const server = new Epoch({ number: 1, protection: createProtection(suite, keys, 'server'), receiveConnectionId: id });
  const records: Buffer[] = [];
  const sealUs = cpuOf(recordsPerRound, () => records.push(client.seal(applicationData, text)));
  const openUs = cpuOf(recordsPerRound, (index) => {
    const opened = server.open(decodeRecord(records[index]!, 0, id.length)!);
    if (typeof opened === 'string') throw new Error(`A record is ${opened}`);
  });
  return { sealUs, openUs };
};

/** The minimum: node:crypto alone, with a stored key object, and without the work for a record. */
const measureBare = (): Cost => {
  const [key, nonce, additional] = [createSecretKey(randomBytes(16)), randomBytes(12), randomBytes(23 + id.length)];
  const length = { plaintextLength: text.length };
  const [cipherName, options] = ['aes-128-ccm', { authTagLength: 8 }] as const;
  let sealed = { content: text, tag: id };
  const sealUs = cpuOf(recordsPerRound, () => {
    const cipher = createCipheriv(cipherName, key, nonce, options).setAAD(additional, length);
    const content = cipher.update(text);
    cipher.final();
    sealed = { content, tag: cipher.getAuthTag() };
  });
  const openUs = cpuOf(recordsPerRound, () => {
    const decipher = createDecipheriv(cipherName, key, nonce, options).setAuthTag(sealed.tag);
    decipher.setAAD(additional, length).update(sealed.content);
    decipher.final();
  });
  return { sealUs, openUs };
};

const nameOf = ({ name }: CipherSuite) => name.replace(/^TLS_(\w+)_WITH_AES_128_/, '$1_').toLowerCase();

export const records: Bench = {
  about: 'CPU to seal and to open a DTLS record of 64 bytes with a connection id, by cipher suite',
  alone: true,
  async run({ rounds }) {
    const figures: Record<string, number> = {};
    const all = CIPHER_SUITES.map((suite) => ({ name: nameOf(suite), run: () => measure(suite), found: [] as Cost[] }));
    all.push({ name: 'bare_ccm_8', run: measureBare, found: [] });
    // The first round is a warm-up; the order of the others alternates.
    for (let n = 0; n <= Math.max(rounds, roundsMin); n++)
      for (const one of all) {
        const cost = one.run();
        if (n > 0) one.found.push(cost);
      }
    for (const { name, found } of all) {
      figures[`${name}_seal_us`] = round(median(found.map(({ sealUs }) => sealUs)));
      figures[`${name}_open_us`] = round(median(found.map(({ openUs }) => openUs)));
    }
    return figures;
  },
};
