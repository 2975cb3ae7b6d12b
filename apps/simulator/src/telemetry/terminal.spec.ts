import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Tally } from '../counts/tally.js';
import { type Group } from '../device/simulation-context.js';
import { readGroup } from '../settings/group.js';
import { environmentReader } from '../settings/reader.js';
import { type Watch } from '../observation/watch.js';
import { Watches } from '../observation/watches.js';
import { Terminal } from './terminal.js';

const watch = (): Watch => ({
  device: { report: () => Promise.resolve() },
  paths: ['/3303/0/5700'],
  token: Buffer.alloc(1),
  accept: undefined,
  isComposite: false,
  measured: true,
  outdated: false,
  number: 0,
  busy: false,
  turnIndex: -1,
});

describe('a fleet that nothing observes', () => {
  let tally: Tally;
  let watches: Watches;
  let terminal: Terminal;
  let lines: string[];
  let nowMs = 0;

  const pass = (seconds: number): void => {
    for (let n = 0; n < seconds; n++) {
      nowMs += 1_000;
      mock.timers.tick(1_000);
    }
  };

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    mock.method(performance, 'now', () => nowMs);
    [watches, lines] = [new Watches(), []];
    const whole = new Tally();
    tally = new Tally(whole);
    const variables = { SIMULATOR_DEVICE_TYPE: 'meter', SIMULATOR_DEVICES: '5' };
    const group = { settings: readGroup(environmentReader(variables), 'meters'), tally, watches } as Group;
    terminal = new Terminal({ groups: [{ group, size: 5 }], tally: whole, write: (line) => lines.push(line) });
    terminal.start(5, 'http://127.0.0.1:1');
  });
  afterEach(() => {
    terminal.stop();
    mock.reset();
    mock.timers.reset();
  });

  const advice = (): string[] => lines.filter((line) => line.includes('nothing observes'));

  it('is told once what to do, some seconds after its devices came', () => {
    pass(60);
    expect(advice()).toEqual([]);
    for (let n = 0; n < 5; n++) tally.changeRegistered(1);
    pass(10);
    expect(advice()).toEqual([]);
    pass(60);
    expect(advice()).toHaveLength(1);
    expect(advice()[0]).toContain('within 150 s');
    const rule = /-d '(.*)'/.exec(advice()[0] ?? '')?.[1] ?? '';
    expect(JSON.parse(rule)).toEqual([{ 'endpoint-type': 'meter', 'resource-path': ['/3303/0/5700'] }]);
  });

  it('is told nothing when it was observed in time', () => {
    for (let n = 0; n < 5; n++) tally.changeRegistered(1);
    const observed = watch();
    watches.add(observed);
    pass(10);
    watches.remove(observed);
    pass(60);
    expect(advice()).toEqual([]);
  });
});

describe('a fleet with credentials', () => {
  const saidOf = (size: number): string[] => {
    const lines: string[] = [];
    const tally = new Tally();
    const settings = readGroup(environmentReader({ SIMULATOR_DEVICES: '5' }), 'meters');
    const group = { settings, tally, watches: new Watches() } as Group;
    const terminal = new Terminal({ groups: [{ group, size }], tally, write: (line) => lines.push(line) });
    terminal.start(5, 'http://127.0.0.1:1');
    const said = lines.map((line) => line.slice('00:00:00 '.length).trimEnd());
    terminal.stop();
    return said;
  };

  it('says at the start how many devices have none', () => {
    expect(saidOf(5)).toEqual(['5 devices; http://127.0.0.1:1/metrics']);
    const missing = '"meters" has 3 of 5 devices: there are no more credentials';
    expect(saidOf(3)).toEqual(['3 devices; http://127.0.0.1:1/metrics', missing]);
  });
});
