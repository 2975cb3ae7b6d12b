import type { ChannelMessages } from '@lanyard/client/browser';
import { Badge, Code } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { bytes, counted, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';

type Message = ChannelMessages['data'][number];

const everyMs = 3_000;

const isGood = (outcome: string) => outcome === 'accepted' || outcome === 'sent';

const columns: readonly Column<Message>[] = [
  { title: 'Sent', cell: ({ sent_at: at }) => moment(at) },
  {
    title: 'Outcome',
    cell: ({ outcome }) => (
      <Titled more={!isGood(outcome) && outcome} isStrong={false}>
        <Badge variant="dot" color={isGood(outcome) ? 'teal' : 'orange'} tt="none" fw={500}>
          {isGood(outcome) ? outcome : 'failed'}
        </Badge>
      </Titled>
    ),
  },
  {
    title: 'Events',
    cell: ({ events, bytes: size }) => (
      <Titled more={bytes(size)} isStrong={false}>
        {counted(events, 'event')}
      </Titled>
    ),
  },
  { title: 'Message', cell: ({ excerpt }) => <Code className="wrap">{excerpt}</Code> },
];

/** What went out last, and what came of it. */
export const LastMessages = ({ channelId: id }: { channelId: string }) => (
  <Panel title="Last messages" flush>
    <Listing
      answer={useRead('GET /v3/channels/{id}/messages', { path: { id } }, { everyMs })}
      columns={columns}
      keyOf={({ sent_at: at, excerpt }) => at + excerpt}
      empty={
        <Empty icon="channels" title="Nothing was sent in the last 24 hours">
          The application gets what it subscribes to, with PUT /v2/subscriptions, and the answers to its commands.
        </Empty>
      }
    />
  </Panel>
);
