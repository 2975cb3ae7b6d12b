/** What one record costs: sealing and opening 64 bytes, by cipher suite, with a connection id. */
import { randomBytes } from 'node:crypto';
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

/** CPU of one, in microseconds. */
const cpuOf = (count: number, each: (index: number) => void) => {
  const before = process.threadCpuUsage();
  for (let index = 0; index < count; index++) each(index);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / count;
};

const measure = (suite: CipherSuite) => {
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

const nameOf = ({ name }: CipherSuite) => name.replace(/^TLS_(\w+)_WITH_AES_128_/, '$1_').toLowerCase();

export const records: Bench = {
  about: 'CPU to seal and to open a DTLS record of 64 bytes with a connection id, by cipher suite',
  alone: true,
  async run({ rounds }) {
    const figures: Record<string, number> = {};
    for (const suite of CIPHER_SUITES) {
      measure(suite);
      const found = Array.from({ length: Math.max(rounds, roundsMin) }, () => measure(suite));
      figures[`${nameOf(suite)}_seal_us`] = round(median(found.map(({ sealUs }) => sealUs)));
      figures[`${nameOf(suite)}_open_us`] = round(median(found.map(({ openUs }) => openUs)));
    }
    return figures;
  },
};
