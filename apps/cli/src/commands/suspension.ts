import type { BulkSuspension, BulkSuspensionOutcome, Device, SuspensionReason } from '@lanyard/client';
import { type Command, Option } from 'commander';
import type { Cli, Session } from '../cli.js';
import { UsageError } from '../errors.js';
import { findDevice, nameOf } from '../names/devices.js';
import { findGroup } from '../names/records.js';
import { counted } from '../output/counted.js';
import { onOneLine } from '../output/safe-text.js';

const categories = ['maintenance', 'lost_or_stolen', 'recalled', 'security_breach', 'other'];

const done = { suspend: 'suspended', resume: 'resumed' } as const;

type Action = keyof typeof done;

interface SuspensionOptions {
  category: SuspensionReason['category'];
  description?: string;
  group?: string;
  filter?: string;
  dryRun?: boolean;
}

const reasonOf = ({ category, description }: SuspensionOptions): SuspensionReason => ({
  category,
  ...(description !== undefined && { description }),
});

const changeMany = async ({ lanyard, out }: Session, action: Action, options: SuspensionOptions): Promise<void> => {
  const { group, filter, dryRun = false } = options;
  const selection = {
    ...(group !== undefined && { group_id: await findGroup(lanyard, group) }),
    ...(filter !== undefined && { filter }),
  };
  const total = { action, dry_run: dryRun, matched_count: 0, changed_count: 0 };
  let after: string | null | undefined;
  do {
    const body: BulkSuspension = {
      ...reasonOf(options),
      ...selection,
      action,
      dry_run: dryRun,
      ...(after && { after }),
    };
    const answer: BulkSuspensionOutcome = await lanyard.call('POST /v3/device-suspensions', { body });
    total.matched_count += answer.matched_count;
    total.changed_count += answer.changed_count;
    after = answer.has_more ? answer.after : null;
    if (after) out.note(`${counted(total.matched_count, 'device')} so far`);
  } while (after);
  const { matched_count: matched, changed_count: changed } = total;
  await out.result(
    total,
    () => `${counted(matched, 'device')} selected, ${changed} ${dryRun ? 'would be ' : ''}${done[action]}.`,
  );
};

/** Resuming does nothing for a device that no operator suspended, and one that the system suspended stays blocked. */
const outcomeOf = (action: Action, device: Device, { category, dryRun = false }: SuspensionOptions): string => {
  const name = onOneLine(nameOf(device));
  const rest = action === 'resume' && device.system_suspended ? ' It stays blocked until the system resumes it.' : '';
  if (action === 'resume' && !device.operator_suspended)
    return `${name} is not suspended by an operator: nothing ${dryRun ? 'would change' : 'has changed'}.${rest}`;
  return `${name} ${dryRun ? 'would be' : 'is'} ${done[action]} (${category}).${rest}`;
};

const changeOne = async (
  { lanyard, out }: Session,
  action: Action,
  name: string,
  options: SuspensionOptions,
): Promise<void> => {
  const device = await findDevice(lanyard, name);
  const { category, dryRun = false } = options;
  if (!dryRun)
    await lanyard.call(`POST /v3/devices/{id}/${action}`, { path: { id: device.id }, body: reasonOf(options) });
  if (out.options.json) return out.json({ action, dry_run: dryRun, category, device_id: device.id });
  out.note(outcomeOf(action, device, options));
};

export const addSuspension = (program: Command, cli: Cli): void => {
  for (const action of ['suspend', 'resume'] as const)
    program
      .command(action)
      .description(
        action === 'suspend'
          ? 'Suspend devices: disconnect them and reject their connections'
          : 'Resume suspended devices',
      )
      .argument('[device]', 'name or id')
      .addOption(
        new Option(
          '--category <category>',
          action === 'suspend' ? 'reason category' : 'reason category; any of them lifts the suspension',
        )
          .choices(categories)
          .default('maintenance'),
      )
      .option('--description <text>', 'text for the event log')
      .option('--group <group>', 'all devices of this group (name or id)')
      .option('--filter <filter>', 'all devices that match, for example "endpoint_type=meter&state=registered"')
      .option('--dry-run', 'only count the devices')
      .action((name: string | undefined, options: SuspensionOptions, command: Command) => {
        const isMany = options.group !== undefined || options.filter !== undefined;
        if (isMany === (name !== undefined))
          throw new UsageError('Name a device, or select devices with --group or --filter.');
        const session = cli.session(command);
        return name === undefined ? changeMany(session, action, options) : changeOne(session, action, name, options);
      });
};
