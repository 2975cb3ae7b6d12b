import type { CallbackChannel, Lanyard, PullChannel, WebSocketChannel } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { NameUnknown, UsageError } from '../errors.js';
import { channelKind } from '../forward/pull-channel.js';
import { ageOf } from '../output/time.js';
import { collected, headersOf } from './values.js';

type Shown = (CallbackChannel | WebSocketChannel | PullChannel) & { kind: string };

/** The channel of the key and its state; undefined if it has none. Never polls, because that would confirm events. */
const channelOf = async (lanyard: Lanyard): Promise<Shown | undefined> => {
  const kind = await channelKind(lanyard);
  if (kind === 'callback') return { kind, ...(await lanyard.call('GET /v2/notification/callback')) };
  if (kind === 'websocket') return { kind, ...(await lanyard.call('GET /v2/notification/websocket')) };
  // Registering the channel as the kind that it already is changes nothing, and answers with its state.
  if (kind === 'pull') return { kind, ...(await lanyard.call('PUT /v2/notification/pull', { body: {} })) };
  return undefined;
};

/** Throws NameUnknown if the key has no channel. */
const existingChannel = async (lanyard: Lanyard): Promise<Shown> => {
  const channel = await channelOf(lanyard);
  if (!channel) throw new NameUnknown('The key has no channel.', 'Create one with "lanyard channels create".');
  return channel;
};

const stateOf = (channel: Shown): string => {
  if ('status' in channel) return channel.status;
  if (!('failures' in channel)) return '';
  if (channel.stopped) return `stopped: ${channel.stopped}`;
  return channel.failures > 0 ? `failing (${channel.failures} attempts)` : 'delivering';
};

const droppedOf = ({ dropped }: Shown): string => {
  const { size = 0, age = 0, failed = 0 } = dropped ?? {};
  return size + age + failed === 0 ? 'none' : `${size} by size, ${age} by age, ${failed} failed`;
};

const show = async (cli: Cli, command: Command): Promise<void> => {
  const { lanyard, out } = cli.session(command);
  const channel = await existingChannel(lanyard);
  await out.record(channel, [
    ['Kind', channel.kind],
    ['State', stateOf(channel)],
    ['URL', 'url' in channel ? channel.url : ''],
    ['Queued events', channel.queue_size],
    ['Queued bytes', channel.queue_bytes],
    ['Oldest event', channel.oldest ? `${ageOf(channel.oldest, Date.now())} ago` : ''],
    ['Dropped', droppedOf(channel)],
  ]);
};

interface CreateOptions {
  callbackUrl?: string;
  header?: string[];
  uid?: boolean;
  timestamp?: boolean;
  endpointName?: boolean;
}

const create = async (cli: Cli, kind: string, options: CreateOptions, command: Command): Promise<void> => {
  const { callbackUrl, header } = options;
  if (kind === 'callback' && callbackUrl === undefined) throw new UsageError('A callback needs --callback-url.');
  if (kind !== 'callback' && (callbackUrl !== undefined || header !== undefined))
    throw new UsageError('Only a callback has --callback-url and --header.');
  const { lanyard, out } = cli.session(command);
  const cfg = {
    include_uid: options.uid ?? false,
    include_timestamp: options.timestamp ?? false,
    use_endpoint_name: options.endpointName ?? false,
  };
  const body = { serialization: { cfg } };
  const register = (): Promise<object> => {
    if (kind === 'websocket') return lanyard.call('PUT /v2/notification/websocket', { body });
    if (kind === 'pull') return lanyard.call('PUT /v2/notification/pull', { body });
    const target = { url: callbackUrl as string, headers: headersOf(header) };
    return lanyard.call('PUT /v2/notification/callback', { body: { ...body, ...target } });
  };
  const channel = await register();
  if (out.options.json) return out.json({ kind, ...channel });
  out.note(`The key has a ${kind} channel.`);
};

const remove = async (cli: Cli, command: Command): Promise<void> => {
  const { lanyard, out } = cli.session(command);
  const { kind } = await existingChannel(lanyard);
  if (kind === 'callback') await lanyard.call('DELETE /v2/notification/callback');
  else if (kind === 'websocket') await lanyard.call('DELETE /v2/notification/websocket');
  else await lanyard.call('DELETE /v2/notification/pull');
  out.note(`The ${kind} channel and its queued events are deleted.`);
};

export const addChannels = (program: Command, cli: Cli): void => {
  const channels = program.command('channels').description('Manage the channel through which this key receives events');
  channels
    .command('list', { isDefault: true })
    .description('List the channel of this key (the default): a key has at most one')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const found = await channelOf(lanyard);
      const columns = [
        { title: 'KIND', of: ({ kind }: Shown) => kind },
        { title: 'STATE', of: stateOf },
        { title: 'QUEUED', of: (channel: Shown) => channel.queue_size },
        { title: 'DROPPED', of: droppedOf },
      ];
      const count = await out.list(found ? [found] : [], columns, ({ kind }) => kind);
      if (count === 0) out.note('The key has no channel: "lanyard channels create" creates one.');
    });
  for (const name of ['get', 'status'])
    channels
      .command(name)
      .description(name === 'get' ? 'Show the channel and its queue' : 'The same as get')
      .action((_, command: Command) => show(cli, command));
  channels
    .command('create')
    .description('Create the channel of this key, or change it')
    // An option --url would be mistaken for the one of all commands, the address of the service.
    .option('--callback-url <url>', 'URL that receives the callbacks')
    .option(
      '--header <header>',
      'header of callbacks, "name: value", or @file with one per line; repeatable',
      collected,
    )
    .option('--uid', 'add a uid to each event, by which repetitions are recognised')
    .option('--timestamp', 'add its time to each event')
    .option('--endpoint-name', 'name devices by endpoint name instead of id')
    .argument('<kind>', 'callback, websocket or pull')
    .action((kind: string, options: CreateOptions, command: Command) => {
      if (!['callback', 'websocket', 'pull'].includes(kind))
        throw new UsageError(`"${kind}" is not a kind of channel: use callback, websocket or pull.`);
      return create(cli, kind, options, command);
    });
  channels
    .command('delete')
    .description('Delete the channel of this key with its queued events')
    .action((_, command: Command) => remove(cli, command));
};
