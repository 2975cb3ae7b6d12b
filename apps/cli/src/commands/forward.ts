import type { NotificationMessage } from '@lanyard/client';
import { type Command, Option } from 'commander';
import { type Cli, type Session, untilStopped } from '../cli.js';
import { deliver, type DeliveryEvents, type Target } from '../forward/delivery.js';
import { type Forwarded, Journal, keptMax } from '../forward/journal.js';
import { messages, openPullChannel } from '../forward/pull-channel.js';
import { signingSecret } from '../forward/signature.js';
import { counted } from '../output/counted.js';
import { checkedTarget } from '../settings/connection.js';
import { collected, headersOf, wholeNumber } from './values.js';

interface ForwardOptions {
  secretFile?: string;
  header?: string[];
  method: string;
  replay: number;
}

const eventsIn = (message: NotificationMessage): number =>
  Object.values(message).reduce((count, items) => count + (Array.isArray(items) ? items.length : 0), 0);

/** The key without its secret part, so that a rotated key continues where the old one was. */
const sourceOf = ({ url, key }: Session, target: string): string => `${url} ${key.slice(0, -32)} ${target}`;

const eventsOfDelivery = ({ lanyard, out, signal }: Session, journal: Journal): DeliveryEvents => ({
  onFailed: (problem, waitMs) =>
    out.note(`The local server does not accept the events (${problem}): trying again in ${waitMs / 1_000} s.`),
  keepAlive: async () => {
    const after = journal.position;
    await lanyard.poll({ noWait: true, signal, ...(after !== undefined && { after }) }).catch(() => undefined);
  },
});

const replay = async (session: Session, target: Target, journal: Journal, count: number): Promise<void> => {
  const events = eventsOfDelivery(session, journal);
  const stored = journal.last(count);
  if (stored.length < count) session.out.note(`Only ${stored.length} earlier messages are stored.`);
  for (const message of stored) if (!(await deliver(target, message, session.signal, events))) return;
  if (stored.length > 0) session.out.note(`${stored.length} earlier messages were sent again.`);
};

const forward = async (session: Session, target: Target, journal: Journal): Promise<void> => {
  const { lanyard, out, signal, onLost } = session;
  const events = eventsOfDelivery(session, journal);
  const after = journal.position;
  for await (const { message, next } of messages(lanyard, { signal, onLost, ...(after !== undefined && { after }) })) {
    const forwarded: Forwarded = { next, body: JSON.stringify(message) };
    if (!(await deliver(target, forwarded, signal, events))) return;
    journal.add(forwarded);
    out.note(`${new Date().toISOString()} ${counted(eventsIn(message), 'event')} forwarded`);
  }
};

export const addForward = (program: Command, cli: Cli): void => {
  program
    .command('forward')
    .description('Send the events of this key to a local server, as a callback would, until Ctrl-C')
    .argument('<url>', 'for example http://localhost:3000/events')
    .option('--secret-file <file>', 'file with the signing secret (whsec_…); created with a new one if absent')
    .option(
      '--header <header>',
      'header of each request, "name: value", or @file with one per line; repeatable',
      collected,
    )
    .addOption(new Option('--method <method>', 'method of the requests').choices(['PUT', 'POST']).default('PUT'))
    .option('--replay <n>', `send the last n messages again first; ${keptMax} are stored`, wholeNumber(0, keptMax), 0)
    .addHelpText(
      'after',
      '\nA message is confirmed once the server has answered 200 or 204; until then it is repeated, and later ones wait.\n' +
        'After a restart, forward continues where it stopped. While it is not running, the service keeps the events for\n' +
        '10 minutes.',
    )
    .action(async (url: string, options: ForwardOptions, command: Command) => {
      const target: Target = {
        url: checkedTarget(url),
        method: options.method,
        headers: headersOf(options.header),
        secret: options.secretFile === undefined ? undefined : signingSecret(options.secretFile),
      };
      const session = cli.session(command);
      const journal = new Journal(cli.environment.folder, sourceOf(session, target.url));
      await untilStopped(session, async () => {
        await openPullChannel(session.lanyard);
        await replay(session, target, journal, options.replay);
        session.out.note(`Forwarding to ${target.url}. Stop with Ctrl-C.`);
        await forward(session, target, journal);
      });
    });
};
