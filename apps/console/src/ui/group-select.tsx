import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useDeviceGroups } from '../api/choices.ts';

/** Chooses a device group, or none. */
export const GroupSelect = (props: SelectProps) => (
  <Select {...useDeviceGroups().input} clearable clearButtonProps={{ 'aria-label': 'Clear the group' }} {...props} />
);

/** Chooses device groups. */
export const GroupsSelect = (props: MultiSelectProps) => (
  <MultiSelect {...useDeviceGroups().input} searchable {...props} />
);
