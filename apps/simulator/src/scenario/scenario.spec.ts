import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@lanyard/service';
import { readScenario, readScenarioText } from './scenario.js';

const read = (text: string) => readScenarioText('fleet.yaml', text, '/somewhere');

describe('a scenario', () => {
  it('has groups with the options of the command line, and phases', () => {
    const { groups, phases, registrationsPerSecond, seed } = read(`
registrations-per-second: 20
seed: 3
defaults:
  server: [coap://127.0.0.1:5683, coap://127.0.0.1:5693]
  lifetime-seconds: 60
groups:
  meters:
    devices: 50
    queue-mode: true
    firmware-failure: integrity
    firmware-failure-percent: 10
  valves:
    devices: 5
    server: coaps://127.0.0.1
    credentials-file: keys/valves
phases:
  - name: start
    seconds: 10
    arrivals: meters
  - name: outage
    seconds: 5
    arrivals: [valves]
    values-percent: 300
    restart-percent: 50
`);
    expect(groups).toEqual([
      expect.objectContaining({
        name: 'meters',
        namePrefix: 'meters',
        devices: 50,
        queueMode: true,
        lifetimeSeconds: 60,
        servers: [
          { scheme: 'coap', host: '127.0.0.1', port: 5683 },
          { scheme: 'coap', host: '127.0.0.1', port: 5693 },
        ],
        firmware: expect.objectContaining({ failure: 'integrity', failurePercent: 10 }),
      }),
      expect.objectContaining({ name: 'valves', lifetimeSeconds: 60, credentialsFile: '/somewhere/keys/valves' }),
    ]);
    const quiet = { restartPercent: 0, rebindPercent: 0, valuesPercent: 100 };
    expect(phases).toEqual([
      { ...quiet, name: 'start', seconds: 10, arrivals: ['meters'] },
      { ...quiet, name: 'outage', seconds: 5, arrivals: ['valves'], valuesPercent: 300, restartPercent: 50 },
    ]);
    expect([registrationsPerSecond, seed]).toEqual([20, 3]);
  });

  it('needs no phases, and all groups arrive in the first one that says nothing else', () => {
    expect(read('groups: {a: {}, b: {}}').phases).toEqual([]);
    expect(read('groups: {a: {}, b: {}}\nphases: [{name: x, seconds: 1}]').phases[0]?.arrivals).toEqual(['a', 'b']);
  });

  it('may have groups whose names are numbers', () => {
    const text = 'groups: {2024: {devices: 5}}\nphases: [{name: x, seconds: 1, arrivals: [2024]}]';
    const { groups, phases } = read(text);
    expect([groups, phases]).toMatchObject([[{ name: '2024', devices: 5 }], [{ arrivals: ['2024'] }]]);
  });

  it('has texts as they are written, although YAML reads some of them as numbers', () => {
    const text = 'defaults: {protocol-version: 1.0}\ngroups: {2.0: {firmware-version: 1.10}}';
    const phase = 'phases: [{name: 3.0, seconds: 1, arrivals: [2.0]}]';
    const { groups, phases } = read(`${text}\n${phase}`);
    expect(groups).toMatchObject([{ name: '2.0', version: '1.0', firmware: { version: '1.10' } }]);
    expect(phases).toMatchObject([{ name: '3.0', arrivals: ['2.0'] }]);
  });

  it('may give all groups a file of credentials that only those with security use', () => {
    const text = 'defaults: {credentials-file: keys}\ngroups: {a: {}, b: {}, c: {server: coaps://x}}';
    expect(read(text).groups).toHaveLength(3);
  });

  it.each([
    ['groups:\n  a:\n    devices: many', 'fleet.yaml:3: groups.a.devices must be a whole number, not "many"'],
    ['groups:\n  a:\n    devices: 0', 'fleet.yaml:3: groups.a.devices must be at least 1, not 0'],
    ['groups:\n  a:\n    device: 5', 'fleet.yaml:3: groups.a.device is not known here; known: '],
    ['groups:\n  a:\n    queue-mode: 1', 'fleet.yaml:3: groups.a.queue-mode must be true or false, not "1"'],
    ['groups:\n  a:\n    server: http://x', 'fleet.yaml:3: groups.a.server must be coap://host:port, not "http://x"'],
    ['defaults:\n  value-profile: x\ngroups: {a: {}}', 'fleet.yaml:2: defaults.value-profile must be one of noise, '],
    ['defaults:\n  sensor: 1\ngroups: {a: {}}', 'fleet.yaml:2: defaults.sensor is not known here'],
    ['groups: {}', 'fleet.yaml:1: groups must name at least one group'],
    ['groups:\n  a: 5', 'fleet.yaml:2: groups.a must be a map of fields'],
    ['groups: {a, b}', 'fleet.yaml:1: groups.a must be a map of fields'],
    ['groups:\n  2024: 5', 'fleet.yaml:2: groups.2024 must be a map of fields'],
    ['groups: [a]', 'fleet.yaml:1: groups must be a map of fields'],
    ['seeds: 1\ngroups: {a: {}}', 'fleet.yaml:1: seeds is not known here'],
    ['a: [', 'fleet.yaml:1: Flow sequence'],
    ['', 'fleet.yaml:1: must be a map with "groups"'],
    ['groups: {a: {}}\nphases:\n  - seconds: 5', 'fleet.yaml:3: phases[0].name is not set'],
    ['groups: {a: {}}\nphases:\n  - name: x', 'fleet.yaml:3: phases[0].seconds is not set'],
    [
      'groups: {a: {}}\nphases:\n  - name: x\n    seconds: 5\n    arrivals: [b]',
      'fleet.yaml:5: phases[0].arrivals names "b", which is no group',
    ],
    [
      'groups: {a: {}, b: {}}\nphases: [{name: x, seconds: 1, arrivals: [a]}]',
      'fleet.yaml:2: phases name "b" in no "arrivals"',
    ],
    [
      'groups:\n  a: {}\n  b:\n    name-prefix: a',
      'fleet.yaml:3: groups.b has the name-prefix of "a", so their devices would have the same names',
    ],
    [
      'defaults:\n  name-prefix: x\n  credentials-file: k\ngroups:\n  a: {}\n  b: {}',
      'fleet.yaml:6: groups.b has the name-prefix of "a", so their devices would have the same names',
    ],
    [
      'defaults:\n  server: coaps://x\ngroups:\n  a:\n    credentials-file: k\n  b:\n    credentials-file: ./k',
      'fleet.yaml:7: groups.b.credentials-file is that of "a", so their devices would have the same names',
    ],
    [
      'defaults:\n  server: coaps://x\n  credentials-file: k\ngroups:\n  a: {}\n  b: {}',
      'fleet.yaml:6: groups.b.credentials-file is that of "a", so their devices would have the same names',
    ],
  ])('%j: %s', (text, message) => {
    expect(() => read(text)).toThrow(ConfigError);
    expect(() => read(text)).toThrow(message);
  });

  it('that is no file is named', () => {
    expect(() => readScenario('/nowhere/fleet.yaml')).toThrow('SIMULATOR_SCENARIO names a file that cannot be read');
  });

  const folder = join(import.meta.dirname, '../../scenarios');
  it.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))('%s is one', (name) => {
    expect(readScenario(join(folder, name)).groups.length).toBeGreaterThan(1);
  });
});
