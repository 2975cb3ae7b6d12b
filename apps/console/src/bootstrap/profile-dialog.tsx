import { NumberInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDeviceGroups } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

const lifetimeDefault = 86_400;

/** Creates the profile of the account or of a group. */
export const ProfileDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [uri, setUri] = useState('');
  const [group, setGroup] = useState<string | null>(null);
  const [lifetime, setLifetime] = useState(lifetimeDefault);
  const create = useChange('POST /v3/bootstrap-profiles', ['GET /v3/bootstrap-profiles']);
  const submit = () => {
    const profile = { name: name.trim(), server_uri: uri.trim(), lifetime_seconds: lifetime };
    const body =
      group === null
        ? { scope: 'account' as const, ...profile }
        : { scope: 'group' as const, group_id: group, ...profile };
    create.mutate({ body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Create a bootstrap profile"
      verb="Create"
      needs="devices.credentials"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={name.trim() === '' || uri.trim() === '' ? 'Enter a name and the URI of the server.' : undefined}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={128}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <Select
        label="For"
        placeholder="all devices of the account"
        description="The profile of a group applies before that of the account"
        data={useDeviceGroups()}
        value={group}
        onChange={setGroup}
        clearable
        clearButtonProps={{ 'aria-label': 'For all devices of the account' }}
      />
      <TextInput
        label="URI of the LwM2M server"
        description="With coaps, each bootstrap creates a pre-shared key"
        placeholder="coaps://lwm2m.example.com:5684"
        value={uri}
        onChange={({ currentTarget }) => setUri(currentTarget.value)}
      />
      <NumberInput
        label="Lifetime of registrations, in seconds"
        value={lifetime}
        min={1}
        hideControls
        onChange={(value) => setLifetime(Number(value) || lifetimeDefault)}
      />
    </FormDialog>
  );
};
