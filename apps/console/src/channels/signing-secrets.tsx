import type { SigningSecret } from '@lanyard/client/browser';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Panel } from '../ui/page.tsx';
import { ActionButton } from '../ui/permitted.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';
import type { Column } from '../ui/table.tsx';

const list = 'GET /v3/channels/{id}/signing-secrets';

const Removal = ({ channelId, secretId }: { channelId: string; secretId: string }) => (
  <Confirm
    verb="Delete"
    what="the signing secret"
    needs="notifications"
    change={useChange('DELETE /v3/channels/{id}/signing-secrets/{secretId}', [list])}
    input={{ path: { id: channelId, secretId } }}
  >
    Messages are no longer signed with it. An application that accepts only this secret refuses them from now on.
  </Confirm>
);

const columnsOf = (channelId: string): readonly Column<SigningSecret>[] => [
  { title: 'Secret', cell: ({ id }) => id },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  { title: 'Actions', cell: ({ id }) => <Removal channelId={channelId} secretId={id} /> },
];

/** The secrets that sign the messages of a callback. To rotate one, two are valid for a while. */
export const SigningSecrets = ({ channelId }: { channelId: string }) => {
  const create = useChange('POST /v3/channels/{id}/signing-secrets', [list]);
  return (
    <Panel
      title="Signing secrets"
      flush
      aside={
        <ActionButton
          needs="notifications"
          size="compact-sm"
          variant="default"
          loading={create.isPending}
          onClick={() => create.mutate({ path: { id: channelId } })}
        >
          Create a secret
        </ActionButton>
      }
    >
      {create.error && <Failure error={create.error} />}
      <Listing
        answer={usePages(list, { path: { id: channelId } })}
        columns={columnsOf(channelId)}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="keys" title="Messages are not signed">
            With a secret, the application can check that a message comes from here.
          </Empty>
        }
      />
      {create.data && (
        <SecretOnce title="Signing secret" secret={create.data.secret} onClose={() => create.reset()}>
          Messages are signed with it from now on. To rotate a secret, give the application this one, and delete the old
          one when the application accepts it.
        </SecretOnce>
      )}
    </Panel>
  );
};
