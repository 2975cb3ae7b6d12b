import type { ApiKey } from '@lanyard/client/browser';
import { Group } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { Confirm, Opens, SecretOnce } from '../ui/index.ts';
import { KeyDialog } from './key-dialog.tsx';
import { consequenceOf, overlap, overlapSeconds, whyNotRotate } from './rotation.ts';

/** Groups count their keys. */
const lists = ['GET /v3/api-keys', 'GET /v3/policy-groups'] as const;

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
        unavailable={whyNotRotate(apiKey, subject.id)}
        operation="POST /v3/api-keys/{id}/rotate"
        input={{ path: { id }, body: { overlap_seconds: overlapSeconds } }}
        changes={lists}
        onDone={({ key }) => setSecret(key)}
      >
        {consequenceOf(apiKey)}
      </Confirm>
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
      <SecretOnce title={`New secret of ${name}`} secret={secret} onClose={() => setSecret(undefined)}>
        {`Give it to the application within ${overlap}; after that, the previous secret is no longer valid.`}
      </SecretOnce>
    </Group>
  );
};
