import type { KeyGroup } from '@lanyard/client/browser';
import { Checkbox, MultiSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDeviceGroups } from '../api/choices.ts';
import { useChange } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

type Permission = KeyGroup['permissions'][number];

/** In the order of the matrix: `devices` includes those from `devices.read` to `campaigns`. */
export const permissions: readonly Permission[] = [
  'admin',
  'notifications',
  'devices',
  'devices.read',
  'devices.write',
  'devices.suspend',
  'devices.credentials',
  'commands',
  'subscriptions',
  'snapshots.read',
  'events.read',
  'campaigns',
];

/** Creates a group of keys, whose permissions its keys have. */
export const GroupDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [deviceGroups, setDeviceGroups] = useState<string[]>([]);
  const create = useChange('POST /v3/policy-groups', ['GET /v3/policy-groups']);
  const submit = () =>
    create.mutate(
      {
        body: {
          name: name.trim(),
          permissions: chosen as Permission[],
          device_groups: deviceGroups.length > 0 ? deviceGroups : null,
        },
      },
      { onSuccess: onClose },
    );
  return (
    <FormDialog
      title="Create a group of keys"
      verb="Create"
      needs="admin"
      change={create}
      onSubmit={submit}
      onClose={onClose}
      unavailable={name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={100}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <Checkbox.Group
        label="Permissions"
        description="The permission devices includes those below it"
        value={chosen}
        onChange={setChosen}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {permissions.map((permission) => (
            <Checkbox key={permission} value={permission} label={permission} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <MultiSelect
        label="Device groups"
        description="Its keys see and touch their devices only. None: all devices"
        data={useDeviceGroups()}
        value={deviceGroups}
        onChange={setDeviceGroups}
        searchable
      />
    </FormDialog>
  );
};
