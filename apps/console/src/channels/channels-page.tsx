import type { AccountChannel } from '@lanyard/client/browser';
import { useKeyName } from '../api/key-names.ts';
import { usePages } from '../api/pages.ts';
import { Empty } from '../ui/empty.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';
import { ChannelState, kinds, QueueLevel } from './channel.tsx';

const everyMs = 5_000;

const columnsOf = (nameOf: (id: string) => string): readonly Column<AccountChannel>[] => [
  { title: 'Channel of', cell: ({ id }) => <PageLink to={`/channels/${id}`}>{nameOf(id)}</PageLink> },
  {
    title: 'Delivers by',
    cell: ({ delivery_mechanism: kind, receiver }) => (
      <Titled more={receiver} isStrong={false}>
        {kinds[kind]}
      </Titled>
    ),
  },
  {
    title: 'State',
    cell: (channel) => (
      <Titled more={channel.problem_since !== null && `since ${moment(channel.problem_since)}`} isStrong={false}>
        <ChannelState channel={channel} />
      </Titled>
    ),
  },
  { title: 'Queue', cell: (channel) => <QueueLevel queue={channel} /> },
  { title: 'Loses events', cell: ({ loses_events_at: at }) => at !== null && `from ${moment(at)}` },
  { title: 'Dropped', cell: ({ dropped: { size, age, failed } }) => count(size + age + failed) },
];

const Channels = () => (
  <Listing
    answer={usePages('GET /v3/channels', {}, { everyMs })}
    columns={columnsOf(useKeyName())}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="channels" title="No channels yet" command="npx lanyard listen">
        Applications receive events through a channel. An application registers one with PUT /v2/notification/callback
        or PUT /v2/notification/websocket, or by polling.
      </Empty>
    }
  />
);

/** The channels of the account; without the permission admin, that of the own key. */
const ChannelsPage = () => (
  <Page title="Channels" about="How applications receive events, and how many wait">
    <Permitted needs="notifications">
      <Panel flush>
        <Channels />
      </Panel>
    </Permitted>
  </Page>
);

export default ChannelsPage;
