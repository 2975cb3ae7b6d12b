import type { User } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useKeyGroups } from '../api/choices.ts';
import { usePages } from '../api/pages.ts';
import { ActiveState, ChangeButton, type Column, Confirm, Empty, Listing, moment } from '../ui/index.ts';

const list = 'GET /v3/users';

const Actions = ({ user: { id, name, status } }: { user: User }) => {
  const path = { id };
  const change = { needs: 'admin', operation: 'PUT /v3/users/{id}', changes: [list] } as const;
  return (
    <Group gap="xs">
      <Confirm
        verb="Sign out"
        what={name}
        needs="admin"
        operation="POST /v3/users/{id}/sign-out"
        input={{ path }}
        changes={[list]}
      >
        All sessions of this person end. The person may sign in again.
      </Confirm>
      {status === 'ACTIVE' ? (
        <Confirm verb="Switch off" what={name} {...change} input={{ path, body: { status: 'INACTIVE' } }}>
          All sessions of the person end, and they cannot sign in until they are switched on again.
        </Confirm>
      ) : (
        <ChangeButton
          size="compact-xs"
          aria-label={`Switch on ${name}`}
          {...change}
          input={{ path, body: { status: 'ACTIVE' } }}
        >
          Switch on
        </ChangeButton>
      )}
    </Group>
  );
};

const columnsOf = (groupNames: ReadonlyMap<string, string>): readonly Column<User>[] => [
  { title: 'Person', cell: ({ name }) => name, more: ({ email, subject }) => email ?? subject },
  { title: 'Status', cell: ({ status }) => <ActiveState status={status} /> },
  { title: 'Groups', cell: ({ groups }) => groups.map((id) => groupNames.get(id) ?? id).join(', ') },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at ? moment(at) : 'never') },
  { title: 'Actions', cell: (user) => <Actions user={user} /> },
];

/** The people who signed in with the OpenID provider. */
export const People = () => (
  <Listing
    title="People"
    answer={usePages(list, {})}
    columns={columnsOf(new Map(useKeyGroups().input.data.map(({ value, label }) => [value, label])))}
    empty={
      <Empty icon="account" title="No person has signed in with OpenID Connect">
        With GATEWAY_OIDC_ISSUER, people sign in with the provider of your organisation, and their roles there give them
        key groups here.
      </Empty>
    }
  />
);
