import type { KeyGroup } from '@lanyard/client/browser';
import { Checkbox, SimpleGrid, TextInput } from '@mantine/core';
import { includes, type Permission, permissions } from '../api/permissions.ts';
import { useSave } from '../api/queries.ts';
import { FormDialog, GroupsSelect, type RecordDialogProps, useFields } from '../ui/index.ts';

/** Creates or changes a group of keys. The keys have the permissions of their groups. */
export const GroupDialog = ({ record: group, onClose }: RecordDialogProps<KeyGroup>) => {
  const { values, text, choice } = useFields({
    name: group?.name ?? '',
    permissions: (group?.permissions ?? []) as string[],
    deviceGroups: group?.device_groups ?? [],
  });
  const { change, save } = useSave('/v3/policy-groups', group, ['GET /v3/session']);
  const submit = () => {
    const { deviceGroups } = values;
    const name = values.name.trim();
    const deviceLimit = { device_groups: deviceGroups.length > 0 ? deviceGroups : null };
    save({ name, permissions: values.permissions as Permission[], ...deviceLimit }, onClose);
  };
  return (
    <FormDialog
      title={group ? `Change the group ${group.name}` : 'Create a key group'}
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
      <GroupsSelect
        label="Device groups"
        description="Its keys have access to their devices only. None: all devices"
        {...choice('deviceGroups')}
      />
    </FormDialog>
  );
};
