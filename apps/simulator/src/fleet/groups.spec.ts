import { expect, it } from '@jest/globals';
import { readGroup } from '../settings/group.js';
import { environmentReader } from '../settings/reader.js';
import { type FleetContext, groupFleet } from './groups.js';

it('a server whose name cannot be resolved is an error of the setting', async () => {
  const context = { resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere')) };
  const settings = readGroup(environmentReader({ SIMULATOR_SERVER: 'coap://nowhere' }));
  const started = groupFleet(settings, { context } as unknown as FleetContext);
  await expect(started).rejects.toThrow(
    'SIMULATOR_SERVER names nowhere, which cannot be resolved: Error: getaddrinfo ENOTFOUND nowhere',
  );
});
