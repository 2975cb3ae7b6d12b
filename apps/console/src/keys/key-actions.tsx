import type { ApiKey } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { Confirm, duration, Opens, SecretOnce } from '../ui/index.ts';
import { KeyDialog } from './key-dialog.tsx';

const list = ['GET /v3/api-keys'] as const;

/** A day for applications to take the new secret over. */
const overlapSeconds = 86_400;
const overlap = duration(overlapSeconds);

/** Changes a key, rotates its secret, or revokes it. */
export const KeyActions = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name } = apiKey;
  const { subject } = useSession();
  const [secret, setSecret] = useState<string>();
  return (
    <Group gap="xs">
      <Opens label="Change" what={name} needs="admin">
        {(close) => <KeyDialog record={apiKey} onClose={close} />}
      </Opens>
      <Confirm
        verb="Rotate"
        what={`the secret of ${name}`}
        needs="admin"
        operation="POST /v3/api-keys/{id}/rotate"
        input={{ path: { id }, body: { overlap_seconds: overlapSeconds } }}
        changes={list}
        onDone={({ key }) => setSecret(key)}
      >
        {`The key gets a new secret. The current secret stays valid for another ${overlap}.`}
      </Confirm>
      {id !== subject.id && (
        <Confirm
          verb="Revoke"
          what={name}
          needs="admin"
          operation="DELETE /v3/api-keys/{id}"
          input={{ path: { id } }}
          changes={list}
        >
          The key is deleted with its channel and its subscriptions. Requests of applications that use it are rejected
          immediately.
        </Confirm>
      )}
      <SecretOnce title={`New secret of ${name}`} secret={secret} onClose={() => setSecret(undefined)}>
        {`Give it to the application within ${overlap}; after that, the previous secret is no longer valid.`}
      </SecretOnce>
    </Group>
  );
};
