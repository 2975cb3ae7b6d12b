import { describe, expect, it } from '@jest/globals';
import { RuledDevice } from './match.js';
import { PresubscriptionRulesSchema } from './rule.js';

const link = (path: string, obs = true) => ({ path, obs });
const names = { deviceId: 'd'.repeat(32), endpointName: 'meter-7', endpointType: 'meter' };
const links = [
  link('/1/0'),
  link('/3/0'),
  link('/5'),
  link('/3303/0'),
  link('/3303/1'),
  link('/3200/0/5500', false),
  link('/3200/0/5501'),
];
const device = new RuledDevice(names, links);

describe('a presubscription rule', () => {
  it.each([
    ['one path', { 'resource-path': ['/3303/0/5700'] }, ['/3303/0/5700']],
    ['all instances of an object', { 'resource-path': ['/3303/*'] }, ['/3303/0', '/3303/1']],
    ['an instance by its resources', { 'resource-path': ['/3303/0/*'] }, ['/3303/0']],
    ['listed resources that can be observed', { 'resource-path': ['/3200/0/*'] }, ['/3200/0/5501']],
    ['an object the device lacks', { 'resource-path': ['/3304/*', '/3304/0/5700'] }, []],
    ['a resource that the device would list', { 'resource-path': ['/3200/0/5502'] }, []],
    ['another type', { 'endpoint-type': 'lamp' }, []],
    ['type alone', { 'endpoint-type': 'meter' }, ['/1/0', '/3/0', '/3200/0/5501', '/3303/0', '/3303/1']],
    ['name with wildcard', { 'endpoint-name': 'meter-*', 'resource-path': ['/3/0'] }, ['/3/0']],
    ['device id', { 'endpoint-name': 'd'.repeat(32), 'resource-path': ['/3/0'] }, ['/3/0']],
    ['another name', { 'endpoint-name': 'meter-8', 'resource-path': ['/3/0'] }, []],
  ])('%s', (_, rule, paths) => {
    expect(device.matchingPaths([rule])).toEqual(paths);
  });

  it('names a path once, however many rules do', () => {
    const rules = [{ 'resource-path': ['/3/0'] }, { 'resource-path': ['/3/0', '/3/*'] }];
    expect(device.matchingPaths(rules)).toEqual(['/3/0']);
  });

  it('is looked up, not compared with each link', () => {
    let reads = 0;
    const counted = links.map(({ path, obs }) => ({
      obs,
      get path() {
        reads++;
        return path;
      },
    }));
    const prepared = new RuledDevice(names, counted);
    reads = 0;
    const different = Array.from({ length: 256 }, (_, i) => [`/3303/${i}/*`, `/3303/${i}/5700`]).flat();
    expect(prepared.matchingPaths([{ 'resource-path': different }])).toEqual([
      '/3303/0',
      '/3303/0/5700',
      '/3303/1',
      '/3303/1/5700',
    ]);
    expect(reads).toBe(0);
  });

  it.each([
    [[{ 'resource-path': ['/3303/*/5700'] }]],
    [[{ 'resource-path': ['3303'] }]],
    [[{ 'endpoint-name': 'x'.repeat(65) }]],
    [[{ 'endpoint-type': 'meter-*' }]],
    [[{ 'endpoint-type': 'x'.repeat(65) }]],
    [[{ endpoint: 'x' }]],
    [{}],
    [Array.from({ length: 1025 }, () => ({}))],
    [[{ 'resource-path': Array.from({ length: 257 }, (_, i) => `/${i}`) }]],
  ])('is refused: %#', (rules) => {
    expect(PresubscriptionRulesSchema.safeParse(rules).success).toBe(false);
  });

  it('takes names of 64 characters, 1,024 rules, and 256 different paths in them', () => {
    const name = 'x'.repeat(64);
    const paths = Array.from({ length: 256 }, (_, i) => `/${i}`);
    const rules = Array.from({ length: 1_024 }, (_, i) => ({
      'endpoint-name': name,
      'endpoint-type': name,
      'resource-path': [paths[i % 256]],
    }));
    expect(PresubscriptionRulesSchema.safeParse(rules).success).toBe(true);
  });
});
