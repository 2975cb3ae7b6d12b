import type { ApiKey, KeyGroup } from '@lanyard/client/browser';
import { Badge, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { usePages } from '../api/pages.ts';
import { includes } from '../api/permissions.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { counted, moment } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Listing } from '../ui/listing.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { ActionButton, Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { GroupDialog, permissions } from './group-dialog.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyDialog } from './key-dialog.tsx';

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
  {
    title: 'Limited to',
    cell: ({ device_groups: groups, source_addresses: sources }) =>
      [groups && counted(groups.length, 'device group'), sources?.join(', ')].filter(Boolean).join('; ') || '–',
    isMinor: true,
  },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at ? moment(at) : 'never'), isMinor: true },
  { title: 'Actions', cell: (key) => <KeyActions apiKey={key} /> },
];

const Keys = () => (
  <Listing
    answer={usePages('GET /v3/api-keys', { query: { order: 'DESC' } })}
    columns={columns}
    keyOf={({ id }) => id}
    empty={<Text p="md">There are no keys.</Text>}
  />
);

const Mark = ({ held }: { held: boolean }) =>
  held ? (
    <>
      <Icon name="check" />
      <VisuallyHidden>yes</VisuallyHidden>
    </>
  ) : (
    <VisuallyHidden>no</VisuallyHidden>
  );

const GroupRemoval = ({ group: { id, name } }: { group: KeyGroup }) => (
  <Confirm
    verb="Delete"
    what={`the group ${name}`}
    needs="admin"
    change={useChange('DELETE /v3/policy-groups/{id}', ['GET /v3/policy-groups', 'GET /v3/api-keys'])}
    input={{ path: { id } }}
  >
    Its keys lose what only this group permits.
  </Confirm>
);

const Matrix = ({ groups }: { groups: readonly KeyGroup[] }) => (
  <Table.ScrollContainer minWidth={1100} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Groups' } }}>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th miw="10rem">Group</Table.Th>
          {permissions.map((permission) => (
            <Table.Th key={permission}>{permission}</Table.Th>
          ))}
          <Table.Th>Action</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map((group) => (
          <Table.Tr key={group.id}>
            <Table.Td className="wrap">{group.name}</Table.Td>
            {permissions.map((permission) => (
              <Table.Td key={permission}>
                <Mark held={includes(group.permissions, permission)} />
              </Table.Td>
            ))}
            <Table.Td>
              <GroupRemoval group={group} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

const Groups = () => {
  const { data, error, refetch } = useRead('GET /v3/policy-groups', { query: { limit: listMax } });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return data ? <Matrix groups={data.data} /> : <Skeleton height={160} />;
};

/** The keys of the account, and what their groups permit. */
const KeysPage = () => {
  const [isCreating, key] = useDisclosure();
  const [isGrouping, group] = useDisclosure();
  return (
    <Page
      title="Keys"
      about="Applications and people use them to call the API"
      actions={
        <>
          <ActionButton needs="admin" variant="default" onClick={group.open}>
            Create a group
          </ActionButton>
          <ActionButton needs="admin" onClick={key.open}>
            Create a key
          </ActionButton>
        </>
      }
    >
      <Permitted needs="admin">
        <Panel title="API keys" flush>
          <Keys />
        </Panel>
        <Panel title="Permissions of groups" flush>
          <Groups />
        </Panel>
      </Permitted>
      {isCreating && <KeyDialog onClose={key.close} />}
      {isGrouping && <GroupDialog onClose={group.close} />}
    </Page>
  );
};

export default KeysPage;
