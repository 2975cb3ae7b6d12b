import { type LanyardEvent, type NotificationMessage, textOf } from '@lanyard/client';
import type { Command } from 'commander';
import { type Cli, type Session, untilStopped } from '../cli.js';
import { messages, openPullChannel } from '../forward/pull-channel.js';
import { UsageError } from '../errors.js';
import { isSessionToken } from '../settings/profiles.js';
import type { Output } from '../output/output.js';
import { onOneLine } from '../output/safe-text.js';

interface ListenOptions {
  websocket?: boolean;
}

const names: Record<string, string> = {
  notifications: 'value',
  registrations: 'registered',
  'reg-updates': 'updated',
  'de-registrations': 'deregistered',
  'registrations-expired': 'expired',
  'async-responses': 'response',
};

const textOfItem = (item: Record<string, unknown>): string => {
  const payload = typeof item['payload'] === 'string' ? textOf(Buffer.from(item['payload'], 'base64')) : '';
  return [item['ep'] ?? item['id'], item['path'], item['status'], item['error'], payload]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => onOneLine(String(part)))
    .join(' ');
};

const print = (out: Output, category: string, item: unknown): Promise<void> => {
  if (out.options.json) return out.line(JSON.stringify({ category, item }));
  const text = typeof item === 'string' ? item : textOfItem(item as Record<string, unknown>);
  return out.line(`${out.style('cyan', (names[category] ?? category).padEnd(12))} ${text}`);
};

const printMessage = async (out: Output, message: NotificationMessage): Promise<void> => {
  for (const [category, items] of Object.entries(message))
    if (Array.isArray(items)) for (const item of items) await print(out, category, item as unknown);
};

const byPull = async ({ lanyard, out, signal, onLost }: Session): Promise<void> => {
  await openPullChannel(lanyard);
  out.note('Listening. Stop with Ctrl-C.');
  for await (const { message } of messages(lanyard, { signal, onLost })) await printMessage(out, message);
};

const byWebSocket = async ({ lanyard, key, out, signal, onLost }: Session): Promise<void> => {
  if (isSessionToken(key)) throw new UsageError('A WebSocket needs an API key, not a session.', 'Omit --websocket.');
  const channel = await lanyard.listen({ onLost, signal });
  out.note('Listening. Stop with Ctrl-C.');
  for await (const { category, item } of channel as AsyncIterable<LanyardEvent>) await print(out, category, item);
};

export const addListen = (program: Command, cli: Cli): void => {
  program
    .command('listen')
    .description('Print the events of this key until Ctrl-C')
    .option('--websocket', 'use the WebSocket channel of the key instead of a pull channel')
    .addHelpText(
      'after',
      '\nThe pull channel confirms events after they are printed; the WebSocket confirms them when they arrive.\n' +
        'Subscribe to values with "lanyard observe", or with rules (PUT /v2/subscriptions).',
    )
    .action((options: ListenOptions, command: Command) => {
      const session = cli.session(command);
      return untilStopped(session, () => (options.websocket ? byWebSocket(session) : byPull(session)));
    });
};
