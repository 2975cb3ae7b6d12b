import { type CallbackChannel, type ChannelKind, NotFound, type WebSocketChannel } from '@lanyard/client/browser';
import { Skeleton, Table, Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';

const everyMs = 3_000;

type Fact = readonly [name: string, value: string | undefined];

type Queue = Pick<CallbackChannel, 'queue_size' | 'queue_bytes' | 'oldest' | 'dropped'>;

const queueFacts = ({ queue_size: size, queue_bytes: bytes, oldest, dropped }: Queue): Fact[] => [
  ['Queued events', size < 0 ? 'unknown' : count(size)],
  ['Queued bytes', count(bytes)],
  ['Oldest', oldest === null ? 'none' : moment(oldest)],
  ['Dropped because the queue was full', count(dropped.size)],
  ['Dropped because they were too old', count(dropped.age)],
  ['Dropped because delivery failed', count(dropped.failed)],
];

const callbackFacts = (channel: CallbackChannel): Fact[] => [
  ['Type', 'callback'],
  ['URL', channel.url],
  ['Failed deliveries in a row', count(channel.failures)],
  ['Failing since', channel.failing_since === null ? 'not failing' : moment(channel.failing_since)],
  ['Paused', channel.stopped?.replaceAll('_', ' ')],
  ...queueFacts(channel),
];

const webSocketFacts = (channel: WebSocketChannel): Fact[] => [
  ['Type', 'WebSocket'],
  ['Connection', channel.status],
  ...queueFacts(channel),
];

const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <Table variant="vertical" layout="fixed">
    <Table.Tbody>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="45%" scope="row">
              {name}
            </Table.Th>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
    </Table.Tbody>
  </Table>
);

const Callback = () => {
  const { data, error } = useRead('GET /v2/notification/callback', {}, { everyMs });
  if (error) return <Failure error={error} />;
  return data ? <Facts facts={callbackFacts(data)} /> : <Skeleton height={160} />;
};

const WebSocketOf = () => {
  const { data, error } = useRead('GET /v2/notification/websocket', {}, { everyMs });
  if (error) return <Failure error={error} />;
  return data ? <Facts facts={webSocketFacts(data)} /> : <Skeleton height={160} />;
};

const Pull = () => <Facts facts={[['Type', 'pull']]} />;

const kinds: Record<ChannelKind['delivery_mechanism'], () => React.JSX.Element> = {
  CALLBACK: Callback,
  WEB_SOCKET: WebSocketOf,
  LONG_POLLING: Pull,
};

const Own = () => {
  const { data, error, refetch } = useRead('GET /v2/notification/channel', {}, { everyMs });
  if (error instanceof NotFound)
    return (
      <Empty icon="channels" title="This key has no channel">
        PUT /v2/notification/callback or /v2/notification/websocket registers one; GET /v2/notification/pull polls for
        events.
      </Empty>
    );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  const Kind = kinds[data.delivery_mechanism];
  return <Kind />;
};

interface Failing {
  id: string;
  key_id: string | null;
  since: string;
  text: string;
}

const columns: readonly Column<Failing>[] = [
  {
    title: 'Key',
    cell: ({ key_id: key }) => (
      <Text size="sm" fw={500}>
        {key}
      </Text>
    ),
  },
  { title: 'Problem', cell: ({ text }) => text },
  { title: 'Since', cell: ({ since }) => moment(since), isMinor: true },
];

const FailingChannels = () => (
  <Listing
    answer={useRead('GET /v3/attention/failing-channels', { query: { limit: 100 } }, { everyMs })}
    columns={columns}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="check" title="No channel fails">
        Channels whose deliveries fail, or that are paused, appear here.
      </Empty>
    }
  />
);

/** The channel of the key that is signed in, and the channels that fail. */
const ChannelsPage = () => (
  <Page title="Channels">
    <Permitted needs="notifications">
      <Panel title="Channel of this key" flush>
        <Own />
      </Panel>
      <Panel title="Failing channels" flush>
        <FailingChannels />
      </Panel>
    </Permitted>
  </Page>
);

export default ChannelsPage;
