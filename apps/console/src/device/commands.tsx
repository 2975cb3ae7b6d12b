import { type DeviceCommand, payloadOf } from '@lanyard/client/browser';
import { Code } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { ChangeButton, type Column, counted, Empty, Listing, moment, Status, type StatusColor } from '../ui/index.ts';
import { answerText } from './values.ts';

const list = 'GET /v3/device-requests';

/** The most characters of an answer that are shown. */
const answerMax = 200;

const colors: Record<DeviceCommand['state'], StatusColor> = {
  waiting: 'blue',
  executing: 'blue',
  succeeded: 'teal',
  failed: 'red',
  expired: 'orange',
  cancelled: 'gray',
};

const columns: readonly Column<DeviceCommand>[] = [
  {
    title: 'Command',
    cell: ({ method, uri }) => `${method} ${uri}`,
    more: ({ async_id: asyncId }) => asyncId,
  },
  {
    title: 'State',
    cell: ({ state }) => <Status color={colors[state]}>{state}</Status>,
    more: ({ attempts, error, status, note }) =>
      [[counted(attempts, 'attempt'), error ?? status].filter((one) => one !== null).join(', '), note]
        .filter(Boolean)
        .join('. '),
  },
  {
    title: 'Answer',
    cell: ({ payload, content_type: type }) =>
      payload && <Code className="wrap">{answerText(payloadOf(payload), type).slice(0, answerMax)}</Code>,
  },
  {
    title: 'Created',
    cell: ({ created_at: at }) => moment(at),
    more: ({ finished_at: end, expires_at: expiry }) =>
      end === null ? `expires ${moment(expiry)}` : `ended ${moment(end)}`,
  },
  {
    title: 'Actions',
    cell: ({ state, async_id: asyncId, method, uri }) =>
      state === 'waiting' && (
        <ChangeButton
          needs="commands"
          size="compact-xs"
          aria-label={`Cancel ${method} ${uri}`}
          operation="DELETE /v3/device-requests/{asyncId}"
          input={{ path: { asyncId } }}
          changes={[list]}
        >
          Cancel
        </ChangeButton>
      ),
  },
];

/** The newest commands of the device, with their attempts. */
export const Commands = ({ deviceId }: { deviceId: string }) => (
  <Listing
    answer={usePages(list, { query: { filter: `device_id=${deviceId}`, order: 'DESC' } }, { everyMs: 3_000 })}
    columns={columns}
    empty={
      <Empty icon="device" title="No commands yet">
        Choose a resource and read it, or use POST /v2/device-requests.
      </Empty>
    }
  />
);
