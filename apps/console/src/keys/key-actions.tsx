import type { ApiKey } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { Confirm, Opens } from '../ui/index.ts';
import { KeyDialog } from './key-dialog.tsx';
import { RotationDialog } from './rotation-dialog.tsx';
import { whyNotRotate } from './rotation.ts';

/** Groups count their keys. */
const lists = ['GET /v3/api-keys', 'GET /v3/policy-groups'] as const;

/** Changes a key, rotates its secret, or revokes it. */
export const KeyActions = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name } = apiKey;
  const { subject } = useSession();
  return (
    <Group gap="xs">
      <Opens label="Change" what={name} needs="admin">
        {(close) => <KeyDialog record={apiKey} onClose={close} />}
      </Opens>
      <Opens label="Rotate" what={`the secret of ${name}`} needs="admin" unavailable={whyNotRotate(apiKey, subject.id)}>
        {(close) => <RotationDialog apiKey={apiKey} onClose={close} />}
      </Opens>
      {id !== subject.id && (
        <Confirm
          verb="Revoke"
          what={name}
          needs="admin"
          operation="DELETE /v3/api-keys/{id}"
          input={{ path: { id } }}
          changes={lists}
        >
          The key is deleted with its channel and its subscriptions. Requests of applications that use it are rejected
          immediately.
        </Confirm>
      )}
    </Group>
  );
};
