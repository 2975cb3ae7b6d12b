/** The gain of each replacement of a part of kafkajs (docs/adr/0012): processes with all, all but one, and none of them, alternating. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeviceValues } from '@lanyard/contracts';
import { corrections, speedReplacements } from '@lanyard/kafka';
import { lineOf, median, round } from '../statistics.ts';
import { values } from '../dispatch/values.ts';
import { only } from '../system.ts';
import type { Bench } from '../benches.ts';

type Figures = Record<string, number>;

const count = 60_000;

/** For rates, more is better; for all other figures, less is. */
const isRate = (figure: string): boolean => figure.endsWith('_per_second');

const without = (omitted: string): string =>
  [...speedReplacements, ...corrections]
    .filter((name) => name !== omitted && !(omitted === 'produce-request' && name === 'bundles'))
    .join(',');

/** Sets of replacements by name. `bundles` has no effect without `produce-request`. */
const sets: Record<string, string> = {
  all: 'all',
  ...Object.fromEntries(speedReplacements.map((name) => [name, without(name)])),
  none: 'none',
};

const measure = async (brokers: string[], set: string, topic: string, seconds: number): Promise<Figures> => {
  const script = join(import.meta.dirname, 'client.ts');
  const args = [script, brokers.join(','), set, topic, String(count), String(seconds)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Figures;
};

const middle = (rounds: readonly Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((figure) => [figure, median(rounds.map((one) => one[figure] ?? NaN))]),
  );

/** How many times as much everything costs, or how much slower it is: 1 means that a replacement gains nothing. */
const ratios = (base: Figures, other: Figures): Figures =>
  Object.fromEntries(
    Object.entries(base).map(([figure, value]) => {
      const gain = (other[figure] ?? NaN) / value;
      return [figure, round(isRate(figure) ? 1 / gain : gain)];
    }),
  );

const named = (set: string, figures: Figures, suffix: string): Figures =>
  Object.fromEntries(Object.entries(figures).map(([figure, value]) => [`${set}_${figure}${suffix}`, round(value)]));

export const kafkajs: Bench = {
  about: `what each replaced part of kafkajs gains: ${count} messages written, read and passed on, latency, an idle process, a stop`,
  replicas: only({}),
  async run({ system, seconds, rounds, say }) {
    const topic = { ...DeviceValues, name: 'bench.kafkajs' };
    await system.kafka.ensureTopics([topic]);
    const messages = values([{ keyId: '0'.repeat(32), accountId: '0'.repeat(32) }], 0, 10_000);
    for (let n = 0; n < count; n += messages.length)
      await Promise.all(messages.map((message) => system.producer.sendEncoded(topic, message)));
    const results: Record<string, Figures[]> = {};
    for (let n = 1; n <= rounds; n++)
      for (const [name, set] of Object.entries(sets)) {
        const figures = await measure(system.brokers, set, topic.name, seconds);
        (results[name] ??= []).push(figures);
        const what = name === 'all' || name === 'none' ? name : `without ${name}`;
        say(`round ${n} of ${rounds}, ${what}: ${lineOf(figures)}`);
      }
    const all = middle(results['all'] ?? []);
    return Object.entries(results).reduce<Figures>(
      (report, [name, list]) =>
        name === 'all'
          ? report
          : {
              ...report,
              ...(name === 'none' && named(name, middle(list), '')),
              ...named(name, ratios(all, middle(list)), '_ratio'),
            },
      named('all', all, ''),
    );
  },
};
