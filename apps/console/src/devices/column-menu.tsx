import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { Icon } from '../ui/index.ts';
import { columns } from './columns.ts';

interface ColumnMenuProps {
  shown: readonly string[];
  onChange: (shown: string[]) => void;
}

export const ColumnMenu = ({ shown, onChange }: ColumnMenuProps) => (
  <Popover position="bottom-end" trapFocus>
    <Popover.Target>
      <Button variant="default" leftSection={<Icon name="columns" size={16} />} visibleFrom="sm">
        Columns
      </Button>
    </Popover.Target>
    <Popover.Dropdown aria-label="Columns">
      <Checkbox.Group value={[...shown]} onChange={onChange} aria-label="Columns">
        <Stack gap="xs">
          {columns.map(({ id, label }) => (
            <Checkbox key={id} value={id} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Popover.Dropdown>
  </Popover>
);
