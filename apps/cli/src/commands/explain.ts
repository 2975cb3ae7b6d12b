import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../errors.js';
import { findDevice } from '../names/devices.js';
import { onOneLine } from '../output/safe-text.js';
import { timeOf } from '../output/time.js';
import { wholeNumber } from './values.js';

interface ExplainOptions {
  command?: string;
  event?: string;
  limit: number;
}

const explain = async (
  cli: Cli,
  name: string | undefined,
  { command: asyncId, event, limit }: ExplainOptions,
  command: Command,
): Promise<void> => {
  if ([name, asyncId, event].filter((each) => each !== undefined).length !== 1)
    throw new UsageError('Give exactly one of these: a device, --command, or --event.');
  const { lanyard, out } = cli.session(command);
  const subject = {
    ...(name !== undefined && { device_id: (await findDevice(lanyard, name)).id }),
    ...(asyncId !== undefined && { 'async-id': asyncId }),
    ...(event !== undefined && { uid: event }),
  };
  const answer = await lanyard.call('GET /v3/explain', { query: { ...subject, limit } });
  if (out.options.json) return out.json(answer);
  await out.line(out.style('bold', onOneLine(answer.waits_for)));
  for (const { at, service, text } of answer.timeline)
    await out.line(`${timeOf(at)}  ${out.style('dim', service.padEnd(12))}  ${onOneLine(text)}`);
  if (answer.has_more) out.note(`Older entries exist: raise --limit (${answer.limit}).`);
  for (const { service, reason } of answer.left_out) out.note(`The entries of ${service} are missing: ${reason}`);
};

export const addExplain = (program: Command, cli: Cli): void => {
  program
    .command('explain')
    .description('Show what a device, command or event is waiting for, and its history')
    .argument('[device]', 'name or id')
    .option('--command <async-id>', 'a command instead of a device')
    .option('--event <uid>', 'an event instead of a device')
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, 200), 50)
    .action((name: string | undefined, options: ExplainOptions, command: Command) =>
      explain(cli, name, options, command),
    );
};
