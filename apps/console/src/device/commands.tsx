import type { DeviceCommand } from '@lanyard/client/browser';
import { Badge, Skeleton, Table, Text } from '@mantine/core';
import { useChange, useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { counted, moment } from '../ui/format.ts';
import { Panel } from '../ui/page.tsx';
import { ActionButton } from '../ui/permitted.tsx';

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

const Row = ({ command }: { command: DeviceCommand }) => (
  <Table.Tr>
    <Table.Td>
      <Text size="sm" fw={500} className="wrap">
        {command.method} {command.uri}
      </Text>
      <Text size="xs" c="dimmed" className="wrap">
        {command.async_id}
      </Text>
    </Table.Td>
    <Table.Td>
      <Badge variant="dot" color={colors[command.state]} tt="none" fw={500}>
        {command.state}
      </Badge>
      <Text size="xs" c="dimmed" className="wrap">
        {[counted(command.attempts, 'attempt'), command.error ?? command.status]
          .filter((one) => one !== null)
          .join(', ')}
      </Text>
    </Table.Td>
    <Table.Td visibleFrom="sm">
      <Text size="xs" c="dimmed">
        {moment(command.created_at)}
      </Text>
    </Table.Td>
    <Table.Td>{command.state === 'waiting' && <Cancel asyncId={command.async_id} />}</Table.Td>
  </Table.Tr>
);

/** The newest commands of the device, with their attempts. */
export const Commands = ({ deviceId }: { deviceId: string }) => {
  const { data, error, refetch } = useRead(
    'GET /v3/device-requests',
    { query: { filter: `device_id=${deviceId}`, order: 'DESC', limit: 50 } },
    { everyMs: 3_000 },
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <Panel flush>
      {data.data.length === 0 ? (
        <Empty icon="device" title="No commands yet">
          Choose a resource and read it, or use POST /v2/device-requests.
        </Empty>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Command</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th visibleFrom="sm">Created</Table.Th>
              <Table.Th>Action</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((command) => (
              <Row key={command.id} command={command} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
};
