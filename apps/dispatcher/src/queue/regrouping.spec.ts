import { describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import { ChunkBuilder, readHead, sliceEvents } from './chunk.js';
import { groupByCategory } from './regrouping.js';

type Event = [category: Category, json: string, atMs?: number];

const chunksOf = (events: readonly Event[]): Buffer[] => {
  const builder = new ChunkBuilder();
  for (const [category, json, atMs = 1_000] of events) builder.add(category, Buffer.from(json), atMs);
  return builder.finish();
};

const eventsIn = (chunks: readonly Buffer[]): [Category, string][] =>
  chunks.flatMap((chunk) => {
    const { category, count } = readHead(chunk);
    return Array.from({ length: count }, (_, n): [Category, string] => [category, sliceEvents(chunk, n, 1).toString()]);
  });

const regrouped = (events: readonly Event[]): [Category, string][] | undefined => {
  const groups = groupByCategory(chunksOf(events));
  return groups && eventsIn(groups);
};

const value = (ep: string, n = 0): Event => ['notifications', `{"ep":"${ep}","n":${n}}`];
const update = (ep: string, n = 0): Event => ['reg-updates', `{"ep":"${ep}","n":${n}}`];

describe('events put into another order', () => {
  it('share a message with others of their category', () => {
    const events = ['a', 'b', 'c', 'd'].flatMap((ep) => [value(ep), update(ep)]);
    const names = ['a', 'b', 'c', 'd'];
    expect(regrouped(events)).toEqual([...names.map((ep) => value(ep)), ...names.map((ep) => update(ep))]);
  });

  it('stay behind what their device did before', () => {
    const rounds = [1, 2].flatMap((n) => ['a', 'b', 'c', 'd'].flatMap((ep) => [value(ep, n), update(ep, n)]));
    const of = (make: typeof value, n: number): Event[] => ['a', 'b', 'c', 'd'].map((ep) => make(ep, n));
    expect(regrouped(rounds)).toEqual([...of(value, 1), ...of(update, 1), ...of(value, 2), ...of(update, 2)]);
  });

  it('are known by their device however that is written', () => {
    const gone = (ep: string): Event => ['de-registrations', `"${ep}"`];
    const goneObject = (ep: string): Event => ['registrations-expired', `{"ep":"${ep}"}`];
    const others = ['b', 'c', 'd', 'e'];
    const rest = others.flatMap((ep) => [value(ep), update(ep)]);
    const events = [value('a\\"'), gone('a\\"'), value('a\\"', 2), goneObject('a\\"'), value('a\\"', 3), ...rest];
    const result = regrouped(events)?.filter(([, json]) => json.includes('a\\"'));
    expect(result).toEqual(events.slice(0, 5));
  });

  it('follow the results of commands that were before them, which keep their order', () => {
    const result = (n: number): Event => ['async-responses', `{"id":"${n}","status":200,"payload":""}`];
    const events = [1, 2, 3, 4].flatMap((n) => [value(`d${n}`), result(n), value(`d${n}`, 2)]);
    const after = regrouped(events);
    expect(after?.filter(([category]) => category === 'async-responses')).toEqual([1, 2, 3, 4].map(result));
    expect(after?.map(([category]) => category)).toEqual([
      'notifications',
      ...Array<string>(4).fill('async-responses'),
      ...Array<string>(7).fill('notifications'),
    ]);
  });

  it('are left as they are where the messages would not be fewer by half', () => {
    expect(regrouped([1, 2, 3, 4].flatMap((n) => [value('a', n), update('a', n)]))).toBeUndefined();
    expect(regrouped([])).toBeUndefined();
  });

  it('each once, and in the order of their device, whatever they are', () => {
    const categories: Category[] = ['notifications', 'reg-updates', 'registrations', 'async-responses'];
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    for (let round = 0; round < 200; round++) {
      const devices = 1 + random(20);
      const events = Array.from({ length: random(300) }, (_, n): Event => {
        const category = categories[random(4)] as Category;
        return [category, category === 'async-responses' ? `{"id":${n}}` : `{"ep":"d${random(devices)}","n":${n}}`];
      });
      const after = regrouped(events);
      if (!after) continue;
      const ofDevice = (all: readonly (readonly [Category, string, ...unknown[]])[], d: number): string[] =>
        all.map(([, json]) => json).filter((json) => json.startsWith(d < 0 ? '{"id"' : `{"ep":"d${d}"`));
      for (let d = -1; d < devices; d++) expect(ofDevice(after, d)).toEqual(ofDevice(events, d));
      const place = new Map(after.map(([, json], n) => [json, n]));
      let result = -1;
      for (const [category, json] of events) {
        if (category === 'async-responses') result = place.get(json) as number;
        else expect(place.get(json)).toBeGreaterThan(result);
      }
      expect(after).toHaveLength(events.length);
    }
  });
});
