import type { User } from '@lanyard/client/browser';
import { Badge, Group } from '@mantine/core';
import { useKeyGroups } from '../api/choices.ts';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import { ActionButton } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';

const list = 'GET /v3/users';

const Actions = ({ user: { id, name, status } }: { user: User }) => {
  const signOut = useChange('POST /v3/users/{id}/sign-out', [list]);
  const change = useChange('PUT /v3/users/{id}', [list]);
  return (
    <Group gap="xs">
      <Confirm verb="Sign out" what={name} needs="admin" change={signOut} input={{ path: { id } }}>
        All sessions of the person end. They may sign in again.
      </Confirm>
      {status === 'ACTIVE' ? (
        <Confirm
          verb="Switch off"
          what={name}
          needs="admin"
          change={change}
          input={{ path: { id }, body: { status: 'INACTIVE' } }}
        >
          All sessions of the person end, and they cannot sign in until they are switched on again.
        </Confirm>
      ) : (
        <ActionButton
          needs="admin"
          size="compact-xs"
          variant="default"
          aria-label={`Switch on ${name}`}
          loading={change.isPending}
          onClick={() => change.mutate({ path: { id }, body: { status: 'ACTIVE' } })}
        >
          Switch on
        </ActionButton>
      )}
    </Group>
  );
};

const columnsOf = (groupNames: ReadonlyMap<string, string>): readonly Column<User>[] => [
  { title: 'Person', cell: ({ name, email, subject }) => <Titled more={email ?? subject}>{name}</Titled> },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge variant="dot" color={status === 'ACTIVE' ? 'teal' : 'gray'} tt="none" fw={500}>
        {status.toLowerCase()}
      </Badge>
    ),
  },
  { title: 'Groups', cell: ({ groups }) => groups.map((id) => groupNames.get(id) ?? id).join(', ') },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at ? moment(at) : 'never') },
  { title: 'Actions', cell: (user) => <Actions user={user} /> },
];

/** Who signed in with the OpenID provider. */
export const People = () => (
  <Panel title="People" flush>
    <Listing
      answer={usePages(list, {})}
      columns={columnsOf(new Map(useKeyGroups().map(({ value, label }) => [value, label])))}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="account" title="No person has signed in with OpenID Connect">
          With GATEWAY_OIDC_ISSUER, people sign in with the provider of your organisation, and their roles there give
          them key groups here.
        </Empty>
      }
    />
  </Panel>
);
