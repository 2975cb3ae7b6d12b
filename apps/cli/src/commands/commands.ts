import type { DeviceCommand } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { findDevice } from '../names/devices.js';
import { timeOf } from '../output/time.js';
import { showResult } from './device-requests.js';
import { firstOf, wholeNumber } from './values.js';

const columns = [
  { title: 'ASYNC ID', of: (each: DeviceCommand) => each.async_id },
  { title: 'STATE', of: ({ state }: DeviceCommand) => state },
  { title: 'METHOD', of: ({ method }: DeviceCommand) => method },
  { title: 'PATH', of: ({ uri }: DeviceCommand) => uri },
  { title: 'ATTEMPTS', of: ({ attempts }: DeviceCommand) => attempts },
  { title: 'CREATED', of: (each: DeviceCommand) => timeOf(each.created_at) },
  { title: 'ERROR', of: ({ error }: DeviceCommand) => error },
];

export const addCommands = (program: Command, cli: Cli): void => {
  const commands = program
    .command('commands')
    .description('List, await and cancel commands that were sent with this key');
  commands
    .command('list', { isDefault: true })
    .description('List commands, newest first (the default)')
    .option('-d, --device <device>', 'only for this device (name or id)')
    .option('--limit <n>', 'maximum number of results', wholeNumber(1), 50)
    .action(async ({ device, limit }: { device?: string; limit: number }, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const id = device && (await findDevice(lanyard, device)).id;
      const query = { order: 'DESC', limit: Math.min(1_000, limit), ...(id && { device_id: id }) } as const;
      await out.list(firstOf(lanyard.items('GET /v3/device-requests', { query }), limit), columns, (c) => c.async_id);
    });
  commands
    .command('wait')
    .description('Wait for the result of a command and print it')
    .argument('<async-id>', 'id of the command, as printed by --no-wait')
    .option('--timeout <seconds>', 'how long to wait', wholeNumber(1), 60)
    .action(async (asyncId: string, { timeout }: { timeout: number }, command: Command) => {
      const session = cli.session(command);
      const options = { timeoutMs: timeout * 1_000, signal: session.signal };
      await showResult(session, await session.lanyard.commandResult(asyncId, options), 'Done.');
    });
  commands
    .command('cancel')
    .description('Cancel a command that has not ended')
    .argument('<async-id>', 'id of the command, as listed by "lanyard commands"')
    .action(async (asyncId: string, _, command: Command) => {
      const { lanyard, out } = cli.session(command);
      await lanyard.call('DELETE /v3/device-requests/{asyncId}', { path: { asyncId } });
      out.note('Cancelled.');
    });
};
