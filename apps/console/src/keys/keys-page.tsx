import type { ApiKey, KeyGroup } from '@lanyard/client/browser';
import { Badge, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Listing } from '../ui/listing.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';

const listMax = 1_000;

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Key',
    cell: ({ name, id }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge variant="dot" color={status === 'ACTIVE' ? 'teal' : 'gray'} tt="none" fw={500}>
        {status.toLowerCase()}
      </Badge>
    ),
  },
  { title: 'Expires', cell: ({ expiration }) => (expiration ? moment(expiration) : 'never'), isMinor: true },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at ? moment(at) : 'never'), isMinor: true },
];

const Keys = () => (
  <Listing
    answer={useRead('GET /v3/api-keys', { query: { limit: listMax } })}
    columns={columns}
    keyOf={({ id }) => id}
    empty={<Text p="md">There are no keys.</Text>}
  />
);

/** `devices` includes all that begin so, and what is done with devices. */
const Mark = ({ held }: { held: boolean }) =>
  held ? (
    <>
      <Icon name="check" />
      <VisuallyHidden>yes</VisuallyHidden>
    </>
  ) : (
    <VisuallyHidden>no</VisuallyHidden>
  );

const Matrix = ({ groups }: { groups: readonly KeyGroup[] }) => {
  const permissions = [...new Set(groups.flatMap((group) => group.permissions))].toSorted();
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Groups' } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            {permissions.map((permission) => (
              <Table.Th key={permission}>{permission}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <Table.Tr key={group.id}>
              <Table.Td className="wrap">{group.name}</Table.Td>
              {permissions.map((permission) => (
                <Table.Td key={permission}>
                  <Mark held={group.permissions.includes(permission)} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};

const Groups = () => {
  const { data, error, refetch } = useRead('GET /v3/policy-groups', { query: { limit: listMax } });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return data ? <Matrix groups={data.data} /> : <Skeleton height={160} />;
};

/** The keys of the account, and what their groups permit. */
const KeysPage = () => (
  <Page title="Keys">
    <Permitted needs="admin">
      <Panel title="API keys" flush>
        <Keys />
      </Panel>
      <Panel title="Permissions of groups" flush>
        <Groups />
      </Panel>
    </Permitted>
  </Page>
);

export default KeysPage;
