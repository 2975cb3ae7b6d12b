import { mkdtempSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { readConfig } from '../src/config.js';
import { type RunningSimulator, start } from '../src/start.js';
import { TestServer } from './test-server.js';

describe('a scenario', () => {
  let server: TestServer;
  let running: RunningSimulator | undefined;
  let lines: string[];

  const simulate = async (text: string): Promise<RunningSimulator> => {
    const file = join(mkdtempSync(join(tmpdir(), 'simulator-')), 'fleet.yaml');
    writeFileSync(file, `defaults:\n  server: ${server.url}\n  ack-timeout-ms: 500\n${text}`);
    running = await start(readConfig({ SIMULATOR_SCENARIO: file }), (line) => lines.push(line));
    return running;
  };

  beforeEach(async () => {
    lines = [];
    server = await new TestServer().listen();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await server.endpoint.close();
  });

  it('has phases in which groups come, restart and move, and ends with the last one', async () => {
    const simulator = await simulate(`
groups:
  early: {devices: 2}
  late: {devices: 3, device-type: late}
phases:
  - {name: first, seconds: 8, arrivals: early}
  - {name: second, seconds: 4, arrivals: late, restart-percent: 100, values-percent: 0}
`);
    await eventually(() => expect(server.registered('early-1')).toHaveLength(2));
    await eventually(() => expect(server.registered('late-2')).toHaveLength(1));
    const first = (name: string): number => server.received.findIndex(({ query }) => query.includes(`ep=${name}`));
    for (const late of ['late-0', 'late-1', 'late-2'])
      await eventually(() => expect(first(late)).toBeGreaterThan(first('early-1')));
    expect(server.registered('late-2')[0]?.query).toContain('et=late');
    await simulator.ended;
    expect(lines.filter((line) => line.includes('phase')).map((line) => line.slice(9))).toEqual([
      'phase "first": 8 s\n',
      'phase "second": 4 s\n',
    ]);
    running = undefined;
    expect(await simulator.stop()).toBe(true);
    expect(lines.join('')).toContain('early: 2/2 registered; registered 4, restarted 2');
  });

  it('has no more devices at an address than one group would have', async () => {
    const simulator = await simulate('groups: {first: {devices: 100}, second: {devices: 1}}');
    await eventually(() => expect(simulator.tally.registered).toBe(101));
    const addressOf = (name: string): string => server.peerOf(name).address;
    expect(addressOf('first-99')).toBe(addressOf('first-0'));
    expect(addressOf('second-0') === addressOf('first-0')).toBe(platform() !== 'linux');
  });

  it('says at the end that something was lost', async () => {
    const simulator = await simulate('groups: {only: {devices: 1, values-per-second: 10, retransmissions: 0}}');
    await eventually(() => expect(simulator.tally.registered).toBe(1));
    await server.observe(server.peerOf('only-0'), '/3303/0/5700');
    await eventually(() => expect(server.values.length).toBeGreaterThan(0));
    await server.endpoint.close();
    await eventually(() => expect(simulator.tally.counts['value-lost']).toBeGreaterThan(0));
    running = undefined;
    expect(await simulator.stop()).toBe(false);
    const lost = simulator.tally.counts['value-lost'];
    expect(lines.join('')).toContain(`LOST: ${lost} ${lost === 1 ? 'value' : 'values'} not acknowledged`);
  });
});
