import type { DeviceEcho, DeviceEchoResource } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { findDevice } from '../names/devices.js';
import type { Column } from '../output/output.js';
import { ageOf } from '../output/time.js';

export const valueOf = ({ reported }: Pick<DeviceEchoResource, 'reported'>): string => {
  if (!reported) return '';
  const { decoded, value } = reported;
  if (decoded === undefined) return Buffer.from(value, 'base64').toString();
  return typeof decoded === 'object' ? JSON.stringify(decoded) : String(decoded);
};

const resourceColumns = (nowMs: number): Column<DeviceEchoResource>[] => [
  { title: 'PATH', of: (resource) => resource.resource_path },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'VALUE', of: valueOf },
  { title: 'AGE', of: ({ reported }) => ageOf(reported?.reported_at, nowMs), style: () => 'dim' },
  { title: 'SUBSCRIBED', of: ({ subscribed }) => (subscribed ? 'yes' : '') },
];

export const addResources = (program: Command, cli: Cli): void => {
  program
    .command('resources')
    .description('List the resources of a device with their last values')
    .argument('<device>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const { id: deviceId } = await findDevice(lanyard, name);
      const echo: DeviceEcho = await lanyard.call('GET /v3/devices/{deviceId}/echo', { path: { deviceId } });
      const known = new Set(echo.resources.map((resource) => resource.resource_path));
      const endpoints = await lanyard
        .call('GET /v2/endpoints/{deviceId}', { path: { deviceId } }, { retries: 0 })
        .catch(() => []);
      const others = endpoints
        .filter(({ uri }) => !known.has(uri))
        .map(({ uri }): DeviceEchoResource => ({ resource_path: uri, subscribed: false }));
      const all = [...echo.resources, ...others];
      const count = await out.list(all, resourceColumns(Date.now()), (resource) => resource.resource_path);
      if (count === 0) out.note('The device has not registered yet.');
    });
};
