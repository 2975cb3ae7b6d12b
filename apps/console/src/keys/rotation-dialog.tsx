import type { ApiKey } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { FormDialog, SecretOnce } from '../ui/index.ts';
import { consequenceOf, overlap, overlapSeconds, whyNotRotate } from './rotation.ts';

interface RotationDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Rotates the secret of a key after asking, and shows the new one once. */
export const RotationDialog = ({ apiKey, onClose }: RotationDialogProps) => {
  const { id, name } = apiKey;
  const { subject } = useSession();
  const [secret, setSecret] = useState<string>();
  // Another administrator may rotate the key meanwhile, and so may an attempt whose answer was lost.
  const { data: current = apiKey } = useRead('GET /v3/api-keys/{id}', { path: { id } });
  const [asked, setAsked] = useState(apiKey);
  const rotate = useChange('POST /v3/api-keys/{id}/rotate', ['GET /v3/api-keys', 'GET /v3/api-keys/{id}']);
  // The question stays the same until the answer arrives, although the key has changed by then.
  const shown = rotate.isPending ? asked : current;
  const submit = () => {
    setAsked(current);
    rotate.mutate(
      { path: { id }, body: { overlap_seconds: overlapSeconds } },
      { onSuccess: ({ key }) => setSecret(key) },
    );
  };
  if (secret !== undefined)
    return (
      <SecretOnce title={`New secret of ${name}`} secret={secret} onClose={onClose}>
        {`Give it to the application within ${overlap}; after that, the previous secret is no longer valid.`}
      </SecretOnce>
    );
  return (
    <FormDialog
      title={`Rotate the secret of ${name}?`}
      verb="Rotate"
      needs="admin"
      change={rotate}
      onSubmit={submit}
      onClose={onClose}
      unavailable={whyNotRotate(shown, subject.id)}
      isDangerous
    >
      <Text size="sm">{consequenceOf(shown)}</Text>
    </FormDialog>
  );
};
