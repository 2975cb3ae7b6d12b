import { type DeviceCommand, payloadOf, textOf } from '@lanyard/client/browser';
import { Badge, Code } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { counted, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import { ActionButton } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';

/** Characters of an answer that are shown. */
const answerMax = 200;

const colors: Record<DeviceCommand['state'], string> = {
  waiting: 'blue',
  executing: 'blue',
  succeeded: 'teal',
  failed: 'red',
  expired: 'orange',
  cancelled: 'gray',
};

const Cancel = ({ asyncId }: { asyncId: string }) => {
  const cancel = useChange('DELETE /v3/device-requests/{asyncId}', ['GET /v3/device-requests']);
  return (
    <>
      <ActionButton
        needs="commands"
        size="compact-xs"
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ path: { asyncId } })}
      >
        Cancel
      </ActionButton>
      {cancel.error && <Failure error={cancel.error} />}
    </>
  );
};

const columns: readonly Column<DeviceCommand>[] = [
  {
    title: 'Command',
    cell: ({ method, uri, async_id: asyncId }) => (
      <Titled more={asyncId}>
        {method} {uri}
      </Titled>
    ),
  },
  {
    title: 'State',
    cell: ({ state, attempts, error, status }) => (
      <Titled more={[counted(attempts, 'attempt'), error ?? status].filter((one) => one !== null).join(', ')}>
        <Badge variant="dot" color={colors[state]} tt="none" fw={500}>
          {state}
        </Badge>
      </Titled>
    ),
  },
  {
    title: 'Answer',
    cell: ({ payload }) => payload && <Code className="wrap">{textOf(payloadOf(payload)).slice(0, answerMax)}</Code>,
  },
  {
    title: 'Created',
    cell: ({ created_at: at, finished_at: end, expires_at: expiry }) => (
      <Titled more={end === null ? `expires ${moment(expiry)}` : `ended ${moment(end)}`} isStrong={false}>
        {moment(at)}
      </Titled>
    ),
  },
  { title: 'Actions', cell: ({ state, async_id: asyncId }) => state === 'waiting' && <Cancel asyncId={asyncId} /> },
];

/** The newest commands of the device, with their attempts. */
export const Commands = ({ deviceId }: { deviceId: string }) => {
  const query = { filter: `device_id=${deviceId}`, order: 'DESC' } as const;
  return (
    <Panel flush>
      <Listing
        answer={usePages('GET /v3/device-requests', { query }, { everyMs: 3_000 })}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="device" title="No commands yet">
            Choose a resource and read it, or use POST /v2/device-requests.
          </Empty>
        }
      />
    </Panel>
  );
};
