import type { SigningSecret } from '@lanyard/client/browser';
import { useState } from 'react';
import { usePages } from '../api/pages.ts';
import { ChangeButton, type Column, Confirm, Empty, Listing, moment, SecretOnce } from '../ui/index.ts';

const list = 'GET /v3/channels/{id}/signing-secrets';

const columnsOf = (channelId: string): readonly Column<SigningSecret>[] => [
  { title: 'Secret', cell: ({ id }) => id },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  {
    title: 'Actions',
    cell: ({ id }) => (
      <Confirm
        verb="Delete"
        what="the signing secret"
        needs="notifications"
        operation="DELETE /v3/channels/{id}/signing-secrets/{secretId}"
        input={{ path: { id: channelId, secretId: id } }}
        changes={[list]}
      >
        Messages are no longer signed with it. An application that accepts only this secret refuses them from now on.
      </Confirm>
    ),
  },
];

/** The secrets that sign the messages of a callback. To rotate one, two are valid for a while. */
export const SigningSecrets = ({ channelId }: { channelId: string }) => {
  const [created, setCreated] = useState<string>();
  return (
    <>
      <Listing
        title="Signing secrets"
        aside={
          <ChangeButton
            needs="notifications"
            size="compact-sm"
            operation="POST /v3/channels/{id}/signing-secrets"
            input={{ path: { id: channelId } }}
            changes={[list]}
            onDone={({ secret }) => setCreated(secret)}
          >
            Create a secret
          </ChangeButton>
        }
        answer={usePages(list, { path: { id: channelId } })}
        columns={columnsOf(channelId)}
        empty={
          <Empty icon="keys" title="Messages are not signed">
            With a secret, the application can check that a message comes from here.
          </Empty>
        }
      />
      {created !== undefined && (
        <SecretOnce title="Signing secret" secret={created} onClose={() => setCreated(undefined)}>
          Messages are signed with it from now on. To rotate a secret, give the application this one, and delete the old
          one when the application accepts it.
        </SecretOnce>
      )}
    </>
  );
};
