import type { DeviceEvent } from '@lanyard/client/browser';
import { Skeleton } from '@mantine/core';
import { useKeyName } from '../api/key-names.ts';
import { usePages } from '../api/pages.ts';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';

const codesMax = 1_000;

/** Refused and denied requests, and what operators did. */
const isAudited = (code: string) => /^SYS_(41|5)\d/.test(code);

/** Requests that were refused come from an address, actions from a key. */
const whoOf = (nameOf: (id: string) => string, data: DeviceEvent['data']): string => {
  const key = data['actor_key_id'] ?? data['key_id'];
  return [key && nameOf(key), data['address']].filter(Boolean).join(', ');
};

const columnsOf = (nameOf: (id: string) => string): readonly Column<DeviceEvent>[] => [
  {
    title: 'What',
    cell: ({ description, event_code: code }) => <Titled more={code}>{description}</Titled>,
  },
  { title: 'Who', cell: ({ data }) => whoOf(nameOf, data) },
  { title: 'When', cell: ({ date_time: at }) => moment(at) },
  { title: 'Request', cell: ({ data }) => <Titled isStrong={false}>{data['request_id']}</Titled> },
];

const Entries = ({ codes }: { codes: readonly string[] }) => (
  <Listing
    answer={usePages('GET /v3/device-events', {
      query: { filter: `event_code__in=${codes.join(',')}`, order: 'DESC' },
    })}
    columns={columnsOf(useKeyName())}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="account" title="Nothing yet">
        Sign-ins, refused requests and all changes by people and programs appear here.
      </Empty>
    }
  />
);

const KnownCodes = () => {
  const { data, error, refetch } = useRead('GET /v3/device-event-codes', { query: { limit: codesMax } });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  return <Entries codes={data.data.map(({ id }) => id).filter(isAudited)} />;
};

/** Who did what in the account, and which requests were refused. */
export const Audit = () => (
  <Panel title="Audit" flush>
    <Permitted needs="events.read">
      <KnownCodes />
    </Permitted>
  </Panel>
);
