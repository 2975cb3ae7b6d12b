import { CloseButton, Group, Pill, Select, type SelectProps, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useDeviceGroups } from '../api/choices.ts';
import { Icon, stateName } from '../ui/index.ts';
import type { DeviceSearch } from './search.ts';

const typingMs = 250;

const states = ['registered', 'deregistered', 'unenrolled', 'bootstrapped', 'cloud_enrolling'].map((value) => ({
  value,
  label: stateName(value),
}));

const lifecycles = [
  { value: 'enabled', label: 'not suspended' },
  { value: 'blocked', label: 'suspended' },
];

/** Filters with their own field; others, for example of a saved query, are shown as pills. */
const ownFields = ['search', 'state', 'lifecycle_status', 'groups'];

/** The text is written into the URL when the typing pauses, unless the field is removed before. */
const SearchField = ({ search }: { search: DeviceSearch }) => {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const applied = search.filters['search'] ?? '';
  // Shown until the URL has it, which takes a moment: characters that are typed meanwhile belong behind it.
  if (typed === applied) setTyped(undefined);
  const apply = useDebouncedCallback((text: string) => search.set({ search: text }), typingMs);
  const change = (text: string) => {
    setTyped(text);
    apply(text);
  };
  const value = typed ?? applied;
  return (
    <TextInput
      flex="4 1 16rem"
      label="Search"
      placeholder="Name, endpoint name, serial number or id"
      leftSection={<Icon name="search" size={16} />}
      rightSection={value !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
};

export const FilterBar = ({ search }: { search: DeviceSearch }) => {
  const { filters, set } = search;
  const groups = useDeviceGroups();
  const others = Object.entries(filters).filter(([name]) => !ownFields.includes(name));
  const field = (name: string, label: string, placeholder: string, input: Pick<SelectProps, 'data' | 'error'>) => (
    <Select
      flex="1 1 9rem"
      label={label}
      placeholder={placeholder}
      {...input}
      value={filters[name] ?? null}
      onChange={(value) => set({ [name]: value ?? undefined })}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      comboboxProps={{ withinPortal: true }}
    />
  );
  return (
    <Group gap="sm" align="flex-end" p="md">
      <SearchField key={search.replacements} search={search} />
      {field('state', 'State', 'any state', { data: states })}
      {field('lifecycle_status', 'Suspension', 'all', { data: lifecycles })}
      {field('groups', 'Group', 'all groups', groups.input)}
      {others.map(([name, value]) => (
        <Pill
          key={name}
          withRemoveButton
          onRemove={() => set({ [name]: undefined })}
          removeButtonProps={{ 'aria-label': `Remove the filter ${name}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {name} = {value}
        </Pill>
      ))}
    </Group>
  );
};
