import type { ApiKey } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Opens } from '../ui/opens.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';
import { KeyDialog } from './key-dialog.tsx';

const list = ['GET /v3/api-keys'] as const;

/** A day for applications to take the new secret over. */
const overlapSeconds = 86_400;

/** Changes a key, rotates its secret, or revokes it. */
export const KeyActions = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name } = apiKey;
  const { subject } = useSession();
  const rotate = useChange('POST /v3/api-keys/{id}/rotate', list);
  const remove = useChange('DELETE /v3/api-keys/{id}', list);
  return (
    <Group gap="xs">
      <Opens label="Change" what={name} needs="admin">
        {(close) => <KeyDialog apiKey={apiKey} onClose={close} />}
      </Opens>
      <Confirm
        verb="Rotate"
        what={`the secret of ${name}`}
        needs="admin"
        change={rotate}
        input={{ path: { id }, body: { overlap_seconds: overlapSeconds } }}
      >
        The key gets a new secret. The present one is valid for another 24 hours.
      </Confirm>
      {id !== subject.id && (
        <Confirm verb="Revoke" what={name} needs="admin" change={remove} input={{ path: { id } }}>
          The key is deleted with its channel and its subscriptions. Applications that use it are refused at once.
        </Confirm>
      )}
      {rotate.data && (
        <SecretOnce title={`New secret of ${name}`} secret={rotate.data.key} onClose={() => rotate.reset()}>
          Give it to the application within 24 hours: then the previous secret ends.
        </SecretOnce>
      )}
    </Group>
  );
};
