import type { ApiKey, KeyGroup } from '@lanyard/client/browser';
import { Badge, Group, Text, VisuallyHidden } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { includes } from '../api/permissions.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { counted, moment } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Listing } from '../ui/listing.tsx';
import { Opens } from '../ui/opens.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';
import { GroupDialog, permissions } from './group-dialog.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { People } from './people.tsx';

const listMax = 1_000;

const limitsOf = ({ device_groups: groups, source_addresses: sources }: ApiKey): string =>
  [groups && counted(groups.length, 'device group'), sources?.join(', ')].filter(Boolean).join('; ');

const columns: readonly Column<ApiKey>[] = [
  { title: 'Key', cell: ({ name, id }) => <Titled more={id}>{name}</Titled> },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge variant="dot" color={status === 'ACTIVE' ? 'teal' : 'gray'} tt="none" fw={500}>
        {status.toLowerCase()}
      </Badge>
    ),
  },
  { title: 'Expires', cell: ({ expiration }) => (expiration ? moment(expiration) : 'never') },
  { title: 'Limited to', cell: limitsOf },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at ? moment(at) : 'never') },
  { title: 'Actions', cell: (key) => <KeyActions apiKey={key} /> },
];

const Held = () => (
  <>
    <Icon name="check" />
    <VisuallyHidden>yes</VisuallyHidden>
  </>
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

/** Each permission is a column. */
const matrix: readonly Column<KeyGroup>[] = [
  {
    title: 'Group',
    cell: ({ name, apikey_count: keys, device_groups: limits }) => (
      <Titled more={`${counted(keys, 'key')}${limits ? `, limited to ${counted(limits.length, 'device group')}` : ''}`}>
        {name}
      </Titled>
    ),
  },
  ...permissions.map((permission) => ({
    title: permission,
    cell: ({ permissions: held }: KeyGroup) => includes(held, permission) && <Held />,
    isMark: true,
  })),
  {
    title: 'Actions',
    cell: (group) => (
      <Group gap="xs">
        <Opens label="Change" what={`the group ${group.name}`} needs="admin">
          {(close) => <GroupDialog group={group} onClose={close} />}
        </Opens>
        <GroupRemoval group={group} />
      </Group>
    ),
  },
];

const Lists = () => (
  <>
    <Panel title="API keys" flush>
      <Listing
        answer={usePages('GET /v3/api-keys', { query: { order: 'DESC' } })}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Text p="md">There are no keys.</Text>}
      />
    </Panel>
    <Panel title="Permissions of groups" flush>
      <Listing
        answer={useRead('GET /v3/policy-groups', { query: { limit: listMax } })}
        columns={matrix}
        keyOf={({ id }) => id}
        empty={<Text p="md">There are no groups.</Text>}
      />
    </Panel>
    <People />
  </>
);

/** The keys of the account, what their groups permit, and the people who sign in. */
const KeysPage = () => (
  <Page
    title="Keys"
    about="Applications and people use them to call the API"
    actions={
      <>
        <Opens label="Create a group" needs="admin">
          {(close) => <GroupDialog onClose={close} />}
        </Opens>
        <Opens label="Create a key" needs="admin" isMain>
          {(close) => <KeyDialog onClose={close} />}
        </Opens>
      </>
    }
  >
    <Permitted needs="admin">
      <Lists />
    </Permitted>
  </Page>
);

export default KeysPage;
