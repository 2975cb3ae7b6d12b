import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDeviceGroups, useKeyGroups } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';

const dayMs = 86_400_000;

const lives = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'one year' },
  { value: '', label: 'does not expire' },
];

/** `192.0.2.0/24, 2001:db8::1` -> its parts. */
const addressesOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

/** Creates a key with what it may do, where from and until when; then shows its secret once. */
export const KeyDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [groups, setGroups] = useState<string[]>([]);
  const [deviceGroups, setDeviceGroups] = useState<string[]>([]);
  const [addresses, setAddresses] = useState('');
  const [days, setDays] = useState('90');
  const create = useChange('POST /v3/api-keys', ['GET /v3/api-keys']);
  const keyGroups = useKeyGroups();
  const choices = useDeviceGroups();
  const submit = () => {
    const sources = addressesOf(addresses);
    create.mutate({
      body: {
        name: name.trim(),
        ...(groups.length > 0 && { groups }),
        device_groups: deviceGroups.length > 0 ? deviceGroups : null,
        source_addresses: sources.length > 0 ? sources : null,
        expiration: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      },
    });
  };
  if (create.data)
    return (
      <SecretOnce title={`Key of ${create.data.name}`} secret={create.data.key} onClose={onClose}>
        Give it to the application, which sends it with each request: Authorization: Bearer and the key.
      </SecretOnce>
    );
  return (
    <FormDialog
      title="Create a key"
      verb="Create"
      needs="admin"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput
        label="Name"
        description="The application that uses it"
        value={name}
        maxLength={100}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <MultiSelect
        label="Groups"
        description="What the key may do. Without a group: what Developers may do"
        data={keyGroups}
        value={groups}
        onChange={setGroups}
        searchable
      />
      <MultiSelect
        label="Device groups"
        description="The key sees and touches their devices only. None: all devices"
        data={choices}
        value={deviceGroups}
        onChange={setDeviceGroups}
        searchable
      />
      <TextInput
        label="Source addresses"
        description="Networks that it may be used from, separated by commas. None: any"
        placeholder="192.0.2.0/24"
        value={addresses}
        onChange={({ currentTarget }) => setAddresses(currentTarget.value)}
      />
      <Select
        label="Expires after"
        data={lives}
        value={days}
        onChange={(value) => setDays(value ?? '')}
        allowDeselect={false}
      />
    </FormDialog>
  );
};
