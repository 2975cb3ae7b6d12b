import type { ApiKey, KeyGroup } from '@lanyard/client/browser';
import { Text, VisuallyHidden } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { includes, permissions } from '../api/permissions.ts';
import { useRead } from '../api/queries.ts';
import { ActiveState, type Column, counted, Icon, Listing, moment, Opens, Page, recordActions } from '../ui/index.ts';
import { GroupDialog } from './group-dialog.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { People } from './people.tsx';

const listMax = 1_000;

const limitsOf = ({ device_groups: groups, source_addresses: sources }: ApiKey): string =>
  [groups && counted(groups.length, 'device group'), sources?.join(', ')].filter(Boolean).join('; ');

const columns: readonly Column<ApiKey>[] = [
  { title: 'Key', cell: ({ name }) => name, more: ({ id }) => id },
  { title: 'Status', cell: ({ status }) => <ActiveState status={status} /> },
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

/** Each permission is a column. */
const matrix: readonly Column<KeyGroup>[] = [
  {
    title: 'Group',
    cell: ({ name }) => name,
    more: ({ apikey_count: keys, device_groups: limits }) =>
      `${counted(keys, 'key')}${limits ? `, limited to ${counted(limits.length, 'device group')}` : ''}`,
  },
  ...permissions.map((permission) => ({
    title: permission,
    cell: ({ permissions: held }: KeyGroup) => includes(held, permission) && <Held />,
    isMark: true,
  })),
  recordActions({
    what: ({ name }) => `the group ${name}`,
    needs: 'admin',
    Dialog: GroupDialog,
    removal: 'DELETE /v3/policy-groups/{id}',
    changes: ['GET /v3/policy-groups', 'GET /v3/api-keys', 'GET /v3/session'],
    consequence: 'Its keys lose the permissions that only this group grants.',
  }),
];

const Lists = () => (
  <>
    <Listing
      title="API keys"
      answer={usePages('GET /v3/api-keys', { query: { order: 'DESC' } })}
      columns={columns}
      empty={<Text p="md">There are no keys.</Text>}
    />
    <Listing
      title="Permissions of groups"
      answer={useRead('GET /v3/policy-groups', { query: { limit: listMax } })}
      columns={matrix}
      empty={<Text p="md">There are no groups.</Text>}
    />
    <People />
  </>
);

/** The keys of the account, what their groups permit, and the people who sign in. */
const KeysPage = () => (
  <Page
    title="Keys"
    about="Applications and people use them to call the API"
    needs="admin"
    actions={
      <>
        <Opens label="Create a group" needs="admin" Dialog={GroupDialog} />
        <Opens label="Create a key" needs="admin" isMain Dialog={KeyDialog} />
      </>
    }
  >
    <Lists />
  </Page>
);

export default KeysPage;
