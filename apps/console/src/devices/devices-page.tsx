import { Table } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';

const Devices = () => {
  const { data, error, refetch } = useRead('GET /v3/devices', { query: { limit: 100 } });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data?.data.length === 0)
    return (
      <Empty icon="devices" title="No devices yet" command="npm run device">
        Create a device, or let a simulated one register.
      </Empty>
    );
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data?.data.map(({ id, name, state }) => (
          <Table.Tr key={id}>
            <Table.Td className="wrap">{name}</Table.Td>
            <Table.Td>{state}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

const DevicesPage = () => (
  <Page title="Devices">
    <Permitted needs="devices.read">
      <Panel flush>
        <Devices />
      </Panel>
    </Permitted>
  </Page>
);

export default DevicesPage;
