import type { BootstrapProfile } from '@lanyard/client/browser';
import { NumberInput, Select, TextInput } from '@mantine/core';
import { useSave } from '../api/queries.ts';
import { duration, FormDialog, GroupSelect, type RecordDialogProps, useFields, wholeOf } from '../ui/index.ts';

const lifetimeDefault = 86_400;

const kinds = [
  { value: 'psk' as const, label: 'Pre-shared key' },
  { value: 'raw_public_key' as const, label: 'Raw public key' },
];

/** Creates the profile of the account or of a group, or changes one. A change does not affect whom the profile is for. */
export const ProfileDialog = ({ record: profile, onClose }: RecordDialogProps<BootstrapProfile>) => {
  const { values, text, number, choice } = useFields({
    name: profile?.name ?? '',
    description: profile?.description ?? '',
    uri: profile?.server_uri ?? '',
    kind: (profile?.credential_kind ?? 'psk') as BootstrapProfile['credential_kind'] | null,
    group: profile?.group_id ?? null,
    lifetime: (profile?.lifetime_seconds ?? lifetimeDefault) as number | string,
  });
  const lifetime = wholeOf(values.lifetime);
  const { change, save } = useSave('/v3/bootstrap-profiles', profile);
  const submit = () => {
    if (lifetime === undefined) return;
    const { name, description, uri, kind, group } = values;
    const account = { server_uri: uri.trim(), credential_kind: kind, lifetime_seconds: lifetime };
    const settings = { name: name.trim(), description, ...account };
    const scope = group === null ? { scope: 'account' as const } : { scope: 'group' as const, group_id: group };
    save((profile ? settings : { ...scope, ...settings }) as Parameters<typeof save>[0], onClose);
  };
  const missing =
    ((values.name.trim() === '' || values.uri.trim() === '') && 'Enter a name and the URI of the server.') ||
    (lifetime === undefined && 'Enter the lifetime of registrations.') ||
    undefined;
  return (
    <FormDialog
      title={profile ? `Change the profile ${profile.name}` : 'Create a bootstrap profile'}
      verb={profile ? 'Save' : 'Create'}
      needs="devices.credentials for all devices"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={missing}
    >
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
      <TextInput label="Description" {...text('description')} />
      {!profile && (
        <GroupSelect
          label="For"
          placeholder="all devices of the account"
          description="The profile of a group takes precedence over that of the account"
          {...choice('group')}
        />
      )}
      <TextInput
        label="URI of the LwM2M server"
        description="With coaps, each bootstrap creates a credential"
        placeholder="coaps://lwm2m.example.com:5684"
        {...text('uri')}
      />
      <Select
        label="Credential"
        description="Raw public keys are for coaps:// only"
        data={kinds}
        allowDeselect={false}
        {...choice('kind')}
      />
      <NumberInput
        label="Lifetime of registrations, in seconds"
        description={lifetime && duration(lifetime)}
        min={1}
        {...number('lifetime')}
      />
    </FormDialog>
  );
};
