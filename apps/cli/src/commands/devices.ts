import type { Device, DeviceFilters, ItemOf } from '@lanyard/client';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { findDevice, nameOf } from '../names/devices.js';
import { findGroup } from '../names/records.js';
import { type Column, idColumn } from '../output/output.js';
import { timeOf } from '../output/time.js';
import { collected, filterQuery, firstOf, wholeNumber } from './values.js';

const columns: Column<Device>[] = [
  { title: 'NAME', of: nameOf },
  { title: 'STATE', of: ({ state }) => state, style: ({ state }) => (state === 'registered' ? 'green' : 'dim') },
  {
    title: 'LIFECYCLE',
    of: (device) => device.lifecycle_status,
    style: (device) => (device.lifecycle_status === 'blocked' ? 'red' : undefined),
  },
  { title: 'TYPE', of: (device) => device.endpoint_type },
  idColumn,
];

const states = ['unenrolled', 'cloud_enrolling', 'bootstrapped', 'registered', 'deregistered'];

interface ListOptions {
  filter?: string[];
  state?: DeviceFilters['state'];
  group?: string;
  limit?: number;
}

const listDevices = async (cli: Cli, options: ListOptions, command: Command): Promise<void> => {
  const { lanyard, out } = cli.session(command);
  const query = {
    ...filterQuery(options.filter),
    ...(options.state && { state: options.state }),
    ...(options.group && { groups: await findGroup(lanyard, options.group) }),
    limit: Math.min(1_000, options.limit ?? 1_000),
  };
  const devices = lanyard.items('GET /v3/devices', { query });
  const count = await out.list(firstOf(devices, options.limit ?? Infinity), columns);
  if (count === 0)
    out.note('No device matches. "npm run device -- --secure" in a clone of Lanyard starts a demonstration device.');
};

const deviceFields = (device: Device): (readonly [string, string | null])[] => [
  ['Name', nameOf(device)],
  ['Id', device.id],
  ['State', device.state],
  ['Lifecycle', device.lifecycle_status],
  ['Suspended', device.operator_suspended ? (device.last_operator_suspended_category ?? 'yes') : null],
  ['Type', device.endpoint_type],
  ['Serial number', device.serial_number],
  ['Description', device.description],
  ['Groups', device.groups.join(', ')],
  ['Created', timeOf(device.created_at)],
  ['Updated', timeOf(device.updated_at)],
];

const addGroups = (devices: Command, cli: Cli): void => {
  devices
    .command('groups')
    .description('List device groups')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      type Group = ItemOf<'GET /v3/device-groups'>;
      const shown: Column<Group>[] = [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'DEVICES', of: (group) => group.devices_count },
        idColumn,
      ];
      await out.list(lanyard.items('GET /v3/device-groups'), shown);
    });
};

export const addDevices = (program: Command, cli: Cli): void => {
  const devices = program
    .command('devices')
    .description('List devices; with a subcommand, show or delete one')
    .enablePositionalOptions();
  devices
    .command('list', { isDefault: true })
    .description('List devices (the default)')
    .option('-f, --filter <field=value>', 'filter of the API, for example endpoint_type=meter; repeatable', collected)
    .addOption(new Option('--state <state>', 'only devices in this state').choices(states))
    .option('--group <group>', 'only devices of this group (name or id)')
    .option('--limit <n>', 'maximum number of results', wholeNumber(1))
    .action((options: ListOptions, command: Command) => listDevices(cli, options, command));
  devices
    .command('get')
    .description('Show a device')
    .argument('<device>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const device = await findDevice(lanyard, name);
      await out.record(device, deviceFields(device));
    });
  devices
    .command('delete')
    .description('Delete a device with its credentials and stored values')
    .argument('<device>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const device = await findDevice(lanyard, name);
      await lanyard.call('DELETE /v3/devices/{id}', { path: { id: device.id } });
      out.note(`Device ${nameOf(device)} is deleted.`);
    });
  addGroups(devices, cli);
};
