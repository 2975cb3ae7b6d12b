import { describe, expect, it } from '@jest/globals';
import { Random } from './testing/random.ts';
import { DtlsFuzz } from './fuzz/dtls.ts';
import { StreamFuzz } from './fuzz/stream.ts';
import { UdpFuzz } from './fuzz/udp.ts';

describe.each([
  ['datagrams', () => new UdpFuzz(new Random(20_261)), 2_000],
  ['frames over TCP', () => new StreamFuzz(new Random(20_262)), 500],
  ['datagrams of DTLS', () => new DtlsFuzz(new Random(20_263)), 3_000],
])('fuzzed %s', (_, fuzzer, messages) => {
  it(`${messages} of them are taken or refused, and others are still served`, async () => {
    const fuzz = fuzzer();
    await fuzz.start();
    try {
      await fuzz.run(messages);
      expect(fuzz.findings.unexpected).toEqual([]);
      expect(await fuzz.isAlive()).toBe(true);
    } finally {
      await fuzz.stop();
    }
  });
});

it.each([
  ['datagrams', () => new UdpFuzz(new Random(1))],
  ['frames over TCP', () => new StreamFuzz(new Random(1))],
])('a run with %s ends when the endpoint receives nothing more', async (_, fuzzer) => {
  const fuzz = fuzzer();
  await fuzz.start();
  await fuzz.endpoint.close();
  await fuzz.run(2_000);
  expect(fuzz.handled).toBe(0);
  await fuzz.stop();
});
