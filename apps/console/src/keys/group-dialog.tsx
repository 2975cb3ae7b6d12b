import type { KeyGroup } from '@lanyard/client/browser';
import { Checkbox, MultiSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useDeviceGroups } from '../api/choices.ts';
import { includes } from '../api/permissions.ts';
import { useSave } from '../api/queries.ts';
import { useFields } from '../ui/fields.ts';
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

interface GroupDialogProps {
  /** Without one, it is created. */
  group?: KeyGroup;
  onClose: () => void;
}

/** Creates or changes a group of keys, whose permissions its keys have. */
export const GroupDialog = ({ group, onClose }: GroupDialogProps) => {
  const { values, text, choice } = useFields({
    name: group?.name ?? '',
    permissions: (group?.permissions ?? []) as string[],
    deviceGroups: group?.device_groups ?? [],
  });
  const { change, save } = useSave(
    'POST /v3/policy-groups',
    'PUT /v3/policy-groups/{id}',
    ['GET /v3/policy-groups', 'GET /v3/session'],
    group,
  );
  const submit = () => {
    const { deviceGroups } = values;
    const name = values.name.trim();
    const deviceLimit = { device_groups: deviceGroups.length > 0 ? deviceGroups : null };
    save({ name, permissions: values.permissions as Permission[], ...deviceLimit }, onClose);
  };
  return (
    <FormDialog
      title={group ? `Change the group ${group.name}` : 'Create a group of keys'}
      verb={group ? 'Save' : 'Create'}
      needs="admin"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={values.name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput label="Name" maxLength={100} data-autofocus {...text('name')} />
      <Checkbox.Group
        label="Permissions"
        description="The permission devices includes those below it"
        {...choice('permissions')}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {permissions.map((permission) => {
            const isIncluded = permission !== 'devices' && includes(values.permissions, permission);
            const isImplied = isIncluded && !values.permissions.includes(permission);
            const label = isImplied ? `${permission} (included)` : permission;
            return <Checkbox key={permission} value={permission} label={label} />;
          })}
        </SimpleGrid>
      </Checkbox.Group>
      <MultiSelect
        label="Device groups"
        description="Its keys see and touch their devices only. None: all devices"
        data={useDeviceGroups()}
        searchable
        {...choice('deviceGroups')}
      />
    </FormDialog>
  );
};
