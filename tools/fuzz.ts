/**
 * `npm run fuzz -- [udp] [tcp] [dtls] [--messages 1000000] [--seed 1]`: divides the messages among CoAP datagrams, CoAP over
 * TCP, and DTLS in both directions, at endpoints with their usual limits (except rate limits). Ends with 1 when an
 * unexpected error was thrown, when an endpoint no longer answers, or when the heap grew after the first tenth.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from './testing/random.ts';
import type { DtlsFuzz } from './fuzz/dtls.ts';
import type { StreamFuzz } from './fuzz/stream.ts';
import type { UdpFuzz } from './fuzz/udp.ts';
import { command, wholeNumber } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { Stop } from './lanyard/project.ts';

const mebibyte = 1_048_576;
/** More growth than this between the first tenth and the end is a leak, because all tables are full by then. */
const growthMaxBytes = 16 * mebibyte;
const steps = 10;

type Fuzz = UdpFuzz | StreamFuzz | DtlsFuzz;

const usage = 'npm run fuzz [-- [udp] [tcp] [dtls] [--messages 1000000] [--seed 1]]';
/** Imported late, because they need the build. */
const fuzzers: Record<string, (random: Random) => Promise<Fuzz>> = {
  udp: async (random) => new (await import('./fuzz/udp.ts')).UdpFuzz(random),
  tcp: async (random) => new (await import('./fuzz/stream.ts')).StreamFuzz(random),
  dtls: async (random) => new (await import('./fuzz/dtls.ts')).DtlsFuzz(random),
};
const options = {
  messages: { type: 'string', default: '1000000' },
  seed: { type: 'string', default: '1' },
} as const;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use: objects and buffers. */
const inUse = () => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
/** Memory that the operating system counts for the process. */
const resident = () => process.memoryUsage().rss;
const shown = (bytes: number) => `${(bytes / mebibyte).toFixed(1)} MiB`;
const say = (line: string) => process.stdout.write(`${line}\n`);

const attack = async (name: string, fuzz: Fuzz, count: number) => {
  const before = inUse();
  const residentBefore = resident();
  await fuzz.start();
  let filled = 0;
  const startedAt = Date.now();
  for (let step = 1; step <= steps; step++) {
    await fuzz.run(Math.ceil((count * step) / steps));
    const now = inUse();
    if (step === 1) filled = now;
    say(`${name}: ${fuzz.handled} messages, ${shown(now)} in use`);
  }
  const after = inUse();
  const seconds = (Date.now() - startedAt) / 1000;
  const isAlive = await fuzz.isAlive().catch(() => false);
  await fuzz.stop();
  const { events, unexpected } = fuzz.findings;
  say(
    `${name}: ${fuzz.handled} messages in ${seconds.toFixed(0)} s; in use before ${shown(before)}, after a tenth ${shown(filled)}, ` +
      `at the end ${shown(after)}, closed ${shown(inUse())}; process ${shown(residentBefore)} before, ${shown(resident())} after; ${isAlive ? 'still answers' : 'DOES NOT ANSWER'}; ${unexpected.length} unexpected errors`,
  );
  say(`${name}: ${JSON.stringify(Object.fromEntries([...events].toSorted()))}`);
  for (const error of unexpected.slice(0, 5)) say(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  return isAlive && unexpected.length === 0 && after - filled <= growthMaxBytes;
};

await command({ usage, options, allowPositionals: true }, async ({ values, positionals }) => {
  const wanted = positionals.length > 0 ? positionals : Object.keys(fuzzers);
  const unknown = wanted.find((name) => !Object.hasOwn(fuzzers, name));
  if (unknown !== undefined) throw new Stop(`no fuzzer ${unknown}: there are ${Object.keys(fuzzers).join(', ')}`);
  const [messages, seed] = [wholeNumber('messages', values.messages, steps), wholeNumber('seed', values.seed, 1)];
  await build();
  // The timers of a closing endpoint do not keep the process alive.
  setInterval(() => undefined, 1_000);
  say(`${messages} messages, seed ${seed}, Node ${process.version}`);
  const random = new Random(seed);
  const results: boolean[] = [];
  for (const name of wanted)
    results.push(await attack(name, await fuzzers[name]!(random), Math.ceil(messages / wanted.length)));
  return results.every(Boolean) ? 0 : 1;
});
