import type { DeviceEvent } from '@lanyard/client';
import type { Command } from 'commander';
import { type Cli, type Session, untilStopped } from '../cli.js';
import { findDevice } from '../names/devices.js';
import { findGroup } from '../names/records.js';
import type { Output } from '../output/output.js';
import { onOneLine } from '../output/safe-text.js';
import { timeOf } from '../output/time.js';
import { collected, filterQuery, firstOf, wholeNumber } from './values.js';

interface TailOptions {
  device?: string;
  group?: string;
  filter?: string[];
  last: number;
  follow: boolean;
}

const styles = { SUCCESS: 'green', FAIL: 'red', SKIPPED: 'yellow', INFO: 'dim' } as const;

const print = (out: Output, entry: DeviceEvent): Promise<void> => {
  if (out.options.json) return out.line(JSON.stringify(entry));
  const code = out.style(styles[entry.event_type_description] ?? 'dim', entry.event_code);
  const device = entry.device_id ? ` ${out.style('dim', entry.device_id)}` : '';
  return out.line(`${timeOf(entry.date_time)} ${code}${device} ${onOneLine(entry.description)}`);
};

const filtersOf = async (
  { lanyard }: Session,
  { device, group, filter }: TailOptions,
): Promise<Record<string, string>> => ({
  ...filterQuery(filter),
  ...(device !== undefined && { device_id: (await findDevice(lanyard, device)).id }),
  ...(group !== undefined && { group_id: await findGroup(lanyard, group) }),
});

/** The place in the log before its first entry. */
const beginning = '0';

/**
 * Prints the newest entries, oldest first. Returns the place after which those that follow begin: without an entry, the
 * beginning of the log, because one may be stored before the stream is open.
 */
const printLast = async (
  { lanyard, out }: Session,
  filters: Record<string, string>,
  count: number,
): Promise<string> => {
  const query = { ...filters, order: 'DESC', limit: count } as const;
  const newest: DeviceEvent[] = [];
  for await (const entry of firstOf(lanyard.items('GET /v3/device-events', { query }), count)) newest.push(entry);
  for (const entry of newest.toReversed()) await print(out, entry);
  return newest[0]?.id ?? beginning;
};

const tail = async (session: Session, options: TailOptions): Promise<void> => {
  const { lanyard, signal, out, onLost } = session;
  const filters = await filtersOf(session, options);
  const after = options.last > 0 ? await printLast(session, filters, options.last) : undefined;
  if (!options.follow) return;
  const entries = await lanyard.tail({
    ...{ filters, signal, onLost },
    ...(after !== undefined && { after }),
  });
  for await (const entry of entries) await print(out, entry);
};

export const addTail = (program: Command, cli: Cli): void => {
  program
    .command('tail')
    .description('Follow the device event log until Ctrl-C')
    .option('-d, --device <device>', 'only this device (name or id)')
    .option('--group <group>', 'only devices of this group (name or id)')
    .option('-f, --filter <field=value>', 'filter of the API, for example event_code=SYS_106; repeatable', collected)
    .option('-n, --last <n>', 'start with the last n entries', wholeNumber(0, 1_000), 0)
    .option('--no-follow', 'end after these entries instead of waiting for new ones')
    .action((options: TailOptions, command: Command) => {
      const session = cli.session(command);
      return untilStopped(session, () => tail(session, options));
    });
};
