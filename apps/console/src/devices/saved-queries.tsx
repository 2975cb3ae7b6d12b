import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { Failure } from '../ui/failure.tsx';
import { ActionButton } from '../ui/permitted.tsx';
import { type DeviceSearch, unpacked } from './search.ts';

const list = 'GET /v3/device-queries';

const SaveDialog = ({ query, onClose }: { query: string; onClose: () => void }) => {
  const [name, setName] = useState('');
  const save = useChange('POST /v3/device-queries', [list]);
  return (
    <Modal opened onClose={onClose} title="Save these filters" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text size="sm" className="wrap">
          {decodeURIComponent(query)}
        </Text>
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          data-autofocus
        />
        {save.error && <Failure error={save.error} />}
        <Group justify="flex-end">
          <ActionButton
            needs="devices.write"
            loading={save.isPending}
            unavailable={name.trim() === '' ? 'Enter a name.' : undefined}
            onClick={() => save.mutate({ body: { name: name.trim(), query } }, { onSuccess: onClose })}
          >
            Save
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  );
};

/** Named filters of the account. */
export const SavedQueries = ({ search }: { search: DeviceSearch }) => {
  const { data } = useRead(list, { query: { limit: 100 } });
  const [isSaving, { open, close }] = useDisclosure();
  const queries = data?.data ?? [];
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default">Saved queries</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {queries.length === 0 && <Menu.Label>None is saved yet. Set filters, then save them.</Menu.Label>}
          {queries.map(({ id, name, query }) => (
            <Menu.Item key={id} className="wrap" onClick={() => search.replace(unpacked(query))}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={search.packed === undefined} onClick={open}>
            Save the current filters
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && search.packed !== undefined && <SaveDialog query={search.packed} onClose={close} />}
    </>
  );
};
