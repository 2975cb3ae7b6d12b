import type { ApiKey } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { ActionButton, Confirm, Opens } from '../ui/index.ts';
import { KeyDialog } from './key-dialog.tsx';
import { whyNotRotate } from './rotation.ts';

/** Groups count their keys. */
const lists = ['GET /v3/api-keys', 'GET /v3/policy-groups'] as const;

interface KeyActionsProps {
  apiKey: ApiKey;
  /** Opens the dialog that rotates the secret of the key. */
  onRotate: (apiKey: ApiKey) => void;
}

/** Changes a key, rotates its secret, or revokes it. */
export const KeyActions = ({ apiKey, onRotate }: KeyActionsProps) => {
  const { id, name } = apiKey;
  const { subject } = useSession();
  return (
    <Group gap="xs">
      <Opens label="Change" what={name} needs="admin">
        {(close) => <KeyDialog record={apiKey} onClose={close} />}
      </Opens>
      <ActionButton
        needs="admin"
        unavailable={whyNotRotate(apiKey, subject.id)}
        variant="default"
        size="compact-xs"
        aria-label={`Rotate the secret of ${name}`}
        onClick={() => onRotate(apiKey)}
      >
        Rotate
      </ActionButton>
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
