import type { DeviceCredential } from '@lanyard/client/browser';
import { Skeleton, Table, Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { Panel } from '../ui/page.tsx';

const kinds: Record<DeviceCredential['kind'], string> = {
  psk: 'Pre-shared key',
  certificate: 'Certificate',
  raw_public_key: 'Raw public key',
};

const Row = ({ credential }: { credential: DeviceCredential }) => (
  <Table.Tr>
    <Table.Td>
      <Text size="sm" fw={500}>
        {kinds[credential.kind]}
      </Text>
      <Text size="xs" c="dimmed">
        for {credential.service === 'bootstrap' ? 'bootstrapping' : 'LwM2M'}
      </Text>
    </Table.Td>
    <Table.Td>
      <Text size="sm" className="wrap">
        {credential.identity ?? credential.subject ?? credential.fingerprint}
      </Text>
    </Table.Td>
    <Table.Td>
      <Text size="xs" c="dimmed">
        {credential.expires_at === null ? 'does not expire' : moment(credential.expires_at)}
      </Text>
    </Table.Td>
  </Table.Tr>
);

/** How the device proves who it is. Secrets are never shown. */
export const Credentials = ({ deviceId }: { deviceId: string }) => {
  const { data, error, refetch } = useRead('GET /v3/devices/{id}/credentials', {
    path: { id: deviceId },
    query: { limit: 100 },
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <Panel flush>
      {data.data.length === 0 ? (
        <Empty icon="keys" title="No credentials">
          The device can connect without security only. POST /v3/devices/{'{id}'}/credentials creates one.
        </Empty>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Kind</Table.Th>
              <Table.Th>Identity</Table.Th>
              <Table.Th>Expires</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((credential) => (
              <Row key={credential.id} credential={credential} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
};
