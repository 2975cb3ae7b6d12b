import type { AccountChannel } from '@lanyard/client/browser';
import { useKeyName } from '../api/key-names.ts';
import { usePages } from '../api/pages.ts';
import { type Column, count, Empty, Listing, moment, Page, PageLink } from '../ui/index.ts';
import { ChannelState, kinds, QueueLevel } from './channel.tsx';

const everyMs = 5_000;

const columnsOf = (nameOf: (id: string) => string): readonly Column<AccountChannel>[] => [
  { title: 'Channel of', cell: ({ id }) => <PageLink to={`/channels/${id}`}>{nameOf(id)}</PageLink> },
  { title: 'Delivers by', cell: ({ delivery_mechanism: kind }) => kinds[kind], more: ({ receiver }) => receiver },
  {
    title: 'State',
    cell: (channel) => <ChannelState channel={channel} />,
    more: ({ problem_since: since, connected_from: from }) => {
      if (since !== null) return `since ${moment(since)}`;
      return from && `connected from ${from}`;
    },
  },
  { title: 'Queue', cell: (channel) => <QueueLevel queue={channel} /> },
  { title: 'Loses events', cell: ({ loses_events_at: at }) => at !== null && `from ${moment(at)}` },
  { title: 'Dropped', cell: ({ dropped: { size, age, failed } }) => count(size + age + failed) },
];

const Channels = () => (
  <Listing
    answer={usePages('GET /v3/channels', {}, { everyMs })}
    columns={columnsOf(useKeyName())}
    empty={
      <Empty icon="channels" title="No channels yet" command="npx lanyard listen">
        Applications receive events through a channel. An application registers one with PUT /v2/notification/callback
        or PUT /v2/notification/websocket, or by polling.
      </Empty>
    }
  />
);

/** The channels of the account; without the permission `admin`, only the channel of the person's own key. */
const ChannelsPage = () => (
  <Page title="Channels" about="How applications receive events, and how many events are queued" needs="notifications">
    <Channels />
  </Page>
);

export default ChannelsPage;
