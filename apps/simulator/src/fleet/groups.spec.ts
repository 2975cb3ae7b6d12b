import { expect, it } from '@jest/globals';
import { type Group } from '../device/simulation-context.js';
import { readGroup } from '../settings/group.js';
import { environmentReader } from '../settings/reader.js';
import { GroupFleet } from './group-fleet.js';
import { type FleetContext, groupFleet, refuseSharedNames } from './groups.js';

it('a server whose name cannot be resolved is an error of the setting', async () => {
  const context = { resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere')) };
  const settings = readGroup(environmentReader({ SIMULATOR_SERVER: 'coap://nowhere' }));
  const started = groupFleet(settings, { context } as unknown as FleetContext);
  await expect(started).rejects.toThrow(
    'SIMULATOR_SERVER names nowhere, which cannot be resolved: Error: getaddrinfo ENOTFOUND nowhere',
  );
});

const group = (name: string, names: string[], devicesBehind = 0): GroupFleet => {
  const settings = { name, devicesBehind, valuesPerSecond: 1 };
  return new GroupFleet({ settings } as unknown as Group, names);
};

it.each([
  [
    'in two files of credentials',
    [group('a', ['x', 'y']), group('b', ['z', 'y'])],
    'y is that of a device of group "a" and of group "b"',
  ],
  [
    'with the prefix of another group as well as in a file',
    [group('a', ['sim-1']), group('sim', ['sim-0', 'sim-1'])],
    'sim-1 is that of a device of group "a" and of group "sim"',
  ],
  [
    'behind a gateway as well as in a group',
    [group('sim-0', ['sim-0-0', 'sim-0-1']), group('sim', ['sim-0'], 2)],
    'sim-0-0 is that of a device of group "sim" and of group "sim-0"',
  ],
])('the same name is refused %s', (_, groups, problem) => {
  expect(() => refuseSharedNames(groups)).toThrow(`The endpoint name ${problem}`);
});

it('names that only look like those of devices behind a gateway are accepted', () => {
  const gateways = group('sim', ['sim-0', 'sim-1'], 2);
  const others = group('others', ['sim-0-2', 'sim-0-01', 'sim-2-0', 'sim-0-x', '-0']);
  expect(() => refuseSharedNames([gateways, others])).not.toThrow();
});
