import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@lanyard/service';
import { variablesOf } from './command-line.js';
import { readConfig } from './config.js';

describe('settings', () => {
  it('come from the command line', () => {
    const variables = variablesOf([
      '--devices',
      '7',
      '--server=coap://192.0.2.1',
      '--queue-mode',
      '--lifetime-seconds',
      '60',
    ]);
    expect(readConfig(variables).groups[0]).toMatchObject({
      devices: 7,
      servers: [{ scheme: 'coap', host: '192.0.2.1', port: 5683 }],
      queueMode: true,
      confirmable: true,
      updateSeconds: 30,
    });
  });

  it('name several servers, of one kind', () => {
    const both = readConfig({ SIMULATOR_SERVER: 'coaps+tcp://[::1]:1,coaps+tcp://b' });
    expect(both.groups[0]?.servers).toEqual([
      { scheme: 'coaps+tcp', host: '::1', port: 1 },
      { scheme: 'coaps+tcp', host: 'b', port: 5684 },
    ]);
    expect(readConfig({ SIMULATOR_SERVER: 'coaps://a' }).groups[0]?.servers[0]?.port).toBe(5684);
    expect(() => readConfig({ SIMULATOR_SERVER: 'coap://a,coap+tcp://b' })).toThrow(ConfigError);
  });

  it.each([
    [{ SIMULATOR_SERVER: 'http://a' }],
    [{ SIMULATOR_SERVER: 'coap://a:0' }],
    [{ SIMULATOR_SERVER: 'coap://a:65536' }],
    [{ SIMULATOR_DEVICES: '0' }],
    [{ SIMULATOR_SEED: '-1' }],
    [{ SIMULATOR_REPORT_SECONDS: '2592000' }],
    [{ SIMULATOR_REBIND_SECONDS: '2592000' }],
    [{ SIMULATOR_VALUE_PROFILE: 'x' }],
  ])('refuses %j', (variables) => {
    expect(() => readConfig(variables)).toThrow(ConfigError);
  });

  it('are those of a scenario if there is one, and the command line names no others then', () => {
    const file = join(import.meta.dirname, '../scenarios/mixed-fleet.yaml');
    const { groups, phases, reportSeconds } = readConfig(variablesOf(['--scenario', file, '--report-seconds', '9']));
    expect([groups.map(({ name }) => name), phases.length, reportSeconds]).toEqual([
      ['sensors', 'meters', 'trackers'],
      3,
      9,
    ]);
    expect(() => variablesOf(['--scenario', file, '--devices', '9'])).toThrow('--devices is a field of the scenario');
  });

  it('refuses an option that it does not know', () => {
    expect(() => variablesOf(['--device', '7'])).toThrow(ConfigError);
  });
});
