import type { SigningSecret } from '@lanyard/client/browser';
import { useState } from 'react';
import { usePages } from '../api/pages.ts';
import { ChangeButton, type Column, Empty, Listing, moment, recordActions, SecretOnce } from '../ui/index.ts';

const list = 'GET /v3/channels/{id}/signing-secrets';

const columnsOf = (channelId: string): readonly Column<SigningSecret>[] => [
  { title: 'Secret', cell: ({ id }) => id },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  recordActions({
    what: ({ id }) => `the signing secret ${id}`,
    needs: 'notifications',
    removal: 'DELETE /v3/channels/{id}/signing-secrets/{secretId}',
    pathOf: ({ id }) => ({ id: channelId, secretId: id }),
    changes: [list],
    consequence:
      'Messages are no longer signed with it. An application that accepts only this secret will reject them.',
  }),
];

/** The secrets that sign the messages of a callback. During a rotation, two of them are valid for a while. */
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
            ifLeft="The secret is shown only once, when it has been created. If you leave now, you do not see it."
          >
            Create a secret
          </ChangeButton>
        }
        answer={usePages(list, { path: { id: channelId } })}
        columns={columnsOf(channelId)}
        empty={
          <Empty icon="keys" title="Messages are not signed">
            With a signing secret, the application can verify that a message comes from Lanyard.
          </Empty>
        }
      />
      <SecretOnce title="Signing secret" secret={created} onClose={() => setCreated(undefined)}>
        Messages are now signed with it. To rotate a secret, give the application this one, and delete the old one when
        the application accepts it.
      </SecretOnce>
    </>
  );
};
