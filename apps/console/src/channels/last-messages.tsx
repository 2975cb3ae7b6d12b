import type { ChannelMessages } from '@lanyard/client/browser';
import { Code } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { bytes, type Column, counted, Empty, Listing, moment, Status } from '../ui/index.ts';

type Message = ChannelMessages['data'][number];

const everyMs = 3_000;

const isGood = (outcome: string) => outcome === 'accepted' || outcome === 'sent';

const columns: readonly Column<Message>[] = [
  { title: 'Sent', cell: ({ sent_at: at }) => moment(at) },
  {
    title: 'Outcome',
    cell: ({ outcome }) =>
      isGood(outcome) ? <Status color="teal">{outcome}</Status> : <Status color="orange">failed</Status>,
    more: ({ outcome }) => !isGood(outcome) && outcome,
  },
  { title: 'Events', cell: ({ events }) => counted(events, 'event'), more: ({ bytes: size }) => bytes(size) },
  { title: 'Message', cell: ({ excerpt }) => <Code className="wrap">{excerpt}</Code> },
];

/** The last messages that were sent, and their outcome. */
export const LastMessages = ({ channelId: id }: { channelId: string }) => (
  <Listing
    title="Last messages"
    answer={useRead('GET /v3/channels/{id}/messages', { path: { id } }, { everyMs })}
    columns={columns}
    keyOf={({ sent_at: at, excerpt }) => at + excerpt}
    empty={
      <Empty icon="channels" title="Nothing was sent in the last 24 hours">
        The application gets what it subscribes to, with PUT /v2/subscriptions, and the answers to its commands.
      </Empty>
    }
  />
);
