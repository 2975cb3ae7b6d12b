import type { DeviceEvent } from '@lanyard/client/browser';
import { useKeyName } from '../api/key-names.ts';
import { usePages } from '../api/pages.ts';
import { useRead } from '../api/queries.ts';
import { Answered, type Column, Empty, Listing, moment, Permitted } from '../ui/index.ts';
import { isAudited, whoOf } from './who.ts';

const codesMax = 1_000;

const columnsOf = (nameOf: (id: string) => string): readonly Column<DeviceEvent>[] => [
  { title: 'What', cell: ({ description }) => description, more: ({ event_code: code }) => code },
  { title: 'Who', cell: (event) => whoOf(nameOf, event) },
  { title: 'When', cell: ({ date_time: at }) => moment(at) },
  { title: 'Request', cell: ({ data }) => <span className="wrap">{data['request_id']}</span> },
];

const Entries = ({ codes }: { codes: readonly string[] }) => (
  <Listing
    title="Audit"
    answer={usePages('GET /v3/device-events', {
      query: { filter: `event_code__in=${codes.join(',')}`, order: 'DESC' },
    })}
    columns={columnsOf(useKeyName())}
    empty={
      <Empty icon="account" title="Nothing yet">
        Sign-ins, refused requests and all changes by people and programs appear here.
      </Empty>
    }
  />
);

const KnownCodes = () => (
  <Answered answer={useRead('GET /v3/device-event-codes', { query: { limit: codesMax } })}>
    {({ data }) => <Entries codes={data.map(({ id }) => id).filter(isAudited)} />}
  </Answered>
);

/** Who did what in the account, and which requests were refused. */
export const Audit = () => (
  <Permitted needs="events.read">
    <KnownCodes />
  </Permitted>
);
