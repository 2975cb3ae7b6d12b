import { Button, Menu, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRefusal } from '../api/permissions.ts';
import { useChange, useRead } from '../api/queries.ts';
import { FormDialog, useFields } from '../ui/index.ts';
import { type DeviceSearch, unpacked } from './search.ts';

const list = 'GET /v3/device-queries';

const SaveDialog = ({ query, onClose }: { query: string; onClose: () => void }) => {
  const { values, text } = useFields({ name: '' });
  const name = values.name.trim();
  const save = useChange('POST /v3/device-queries', [list]);
  return (
    <FormDialog
      title="Save these filters"
      verb="Save"
      needs="devices.write for all devices"
      change={save}
      onSubmit={() => save.mutate({ body: { name, query } }, { onSuccess: onClose })}
      onClose={onClose}
      unavailable={name === '' ? 'Enter a name.' : undefined}
    >
      <Text size="sm" className="wrap">
        {decodeURIComponent(query)}
      </Text>
      <TextInput label="Name" data-autofocus {...text('name')} />
    </FormDialog>
  );
};

/** Named filters of the account. */
export const SavedQueries = ({ search }: { search: DeviceSearch }) => {
  const refusal = useRefusal('devices.read for all devices');
  const { data } = useRead(list, { query: { limit: 100 } }, { enabled: refusal === undefined });
  const [isSaving, { open, close }] = useDisclosure();
  const queries = data?.data ?? [];
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" disabled={refusal !== undefined} title={refusal}>
            Saved queries
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {queries.length === 0 && <Menu.Label>No queries are saved yet. Set filters, then save them.</Menu.Label>}
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
