import type { ApiKey } from '@lanyard/client/browser';
import { MultiSelect, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useKeyGroups } from '../api/choices.ts';
import { useSave } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import {
  FormDialog,
  GroupsSelect,
  moment,
  partsOf,
  type RecordDialogProps,
  SecretOnce,
  useFields,
} from '../ui/index.ts';

const dayMs = 86_400_000;

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'one year' },
  { value: '', label: 'does not expire' },
];

/** The choice that does not change the expiration of a key. */
const unchanged = 'unchanged';

const lifetimesOf = (apiKey: ApiKey | undefined) =>
  apiKey
    ? [
        { value: unchanged, label: apiKey.expiration ? `as now: ${moment(apiKey.expiration)}` : 'as now: never' },
        ...lifetimes,
      ]
    : lifetimes;

const expirationOf = (days: string): { expiration?: string | null } => {
  if (days === unchanged) return {};
  return { expiration: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString() };
};

const orNull = <T,>(list: readonly T[]) => (list.length > 0 ? [...list] : null);

/** Creates or changes a key: what it may do, from where and until when. Shows a new secret once. */
export const KeyDialog = ({ record: apiKey, onClose }: RecordDialogProps<ApiKey>) => {
  const { subject } = useSession();
  const { values, text, toggle, choice } = useFields({
    name: apiKey?.name ?? '',
    groups: apiKey?.groups ?? [],
    deviceGroups: apiKey?.device_groups ?? [],
    addresses: apiKey?.source_addresses?.join(', ') ?? '',
    days: (apiKey ? unchanged : '90') as string | null,
    isActive: apiKey?.status !== 'INACTIVE',
  });
  const [secret, setSecret] = useState<string>();
  const { change, save } = useSave('/v3/api-keys', apiKey, ['GET /v3/policy-groups', 'GET /v3/session']);
  const keyGroups = useKeyGroups();
  const submit = () => {
    const { groups, days, isActive } = values;
    // Sent for an expired key, too: it can be switched off, and only its expiration says that it has expired.
    const status = isActive ? 'ACTIVE' : 'INACTIVE';
    save(
      {
        name: values.name.trim(),
        ...((apiKey || groups.length > 0) && { groups }),
        device_groups: orNull(values.deviceGroups),
        source_addresses: orNull(partsOf(values.addresses)),
        ...expirationOf(days ?? ''),
        ...(apiKey && { status }),
      },
      ({ key }) => (apiKey ? onClose() : setSecret(key)),
    );
  };
  if (secret !== undefined)
    return (
      <SecretOnce title={`Key of ${values.name}`} secret={secret} onClose={onClose}>
        Give it to the application, which sends it with each request: Authorization: Bearer and the key.
      </SecretOnce>
    );
  return (
    <FormDialog
      title={apiKey ? `Change the key ${apiKey.name}` : 'Create a key'}
      verb={apiKey ? 'Save' : 'Create'}
      needs="admin"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={values.name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput
        label="Name"
        description="The application that uses it"
        maxLength={100}
        data-autofocus
        {...text('name')}
      />
      <MultiSelect
        label="Groups"
        description={`Permissions of the key.${apiKey ? '' : ' Without a group, it gets those of Developers'}`}
        {...keyGroups.input}
        searchable
        {...choice('groups')}
      />
      <GroupsSelect
        label="Device groups"
        description="The key has access to their devices only. None: all devices"
        {...choice('deviceGroups')}
      />
      <TextInput
        label="Source addresses"
        description="Networks from which the key may be used, separated by commas. None: any"
        placeholder="192.0.2.0/24"
        {...text('addresses')}
      />
      <Select label="Expires after" data={lifetimesOf(apiKey)} allowDeselect={false} {...choice('days')} />
      {apiKey && apiKey.id !== subject.id && (
        <Switch
          label="Active"
          description="Requests with an inactive key are rejected, and its WebSocket is closed"
          {...toggle('isActive')}
        />
      )}
    </FormDialog>
  );
};
