import type { DeviceQuery } from '@lanyard/client/browser';
import { Button, Menu, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { usePages } from '../api/pages.ts';
import { useRefusal } from '../api/permissions.ts';
import { useChange, useRead } from '../api/queries.ts';
import { type Column, Dialog, Empty, FormDialog, Listing, recordActions, useFields } from '../ui/index.ts';
import { type DeviceSearch, readable, unpacked } from './search.ts';

const list = 'GET /v3/device-queries';

/** The most queries that the menu lists. */
const listed = 100;

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
        {readable(query)}
      </Text>
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
    </FormDialog>
  );
};

const columns: readonly Column<DeviceQuery>[] = [
  { title: 'Query', cell: ({ name }) => name, more: ({ query }) => readable(query) },
  recordActions({
    what: ({ name }) => `the query ${name}`,
    needs: 'devices.write for all devices',
    removal: 'DELETE /v3/device-queries/{id}',
    changes: [list],
    consequence: 'It is deleted for all people of the account. The devices that it finds are not affected.',
  }),
];

const QueriesDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Saved queries" size="lg" onClose={onClose}>
    <Listing
      answer={usePages(list, {})}
      columns={columns}
      empty={
        <Empty icon="search" title="No queries are saved">
          Set filters, then save them.
        </Empty>
      }
    />
  </Dialog>
);

/** Named filters of the account. */
export const SavedQueries = ({ search }: { search: DeviceSearch }) => {
  const refusal = useRefusal('devices.read for all devices');
  const { data } = useRead(list, { query: { limit: listed } }, { enabled: refusal === undefined });
  const [toSave, setToSave] = useState<string>();
  const [isManaging, managing] = useDisclosure();
  const queries = data?.data ?? [];
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" disabled={refusal !== undefined} title={refusal}>
            Saved queries
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          {queries.length === 0 && <Menu.Label>No queries are saved yet. Set filters, then save them.</Menu.Label>}
          {queries.map(({ id, name, query }) => (
            <Menu.Item key={id} className="wrap" onClick={() => search.replace(unpacked(query))}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={search.packed === undefined} onClick={() => setToSave(search.packed)}>
            Save the current filters
          </Menu.Item>
          <Menu.Item onClick={managing.open}>Manage saved queries</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {toSave !== undefined && <SaveDialog query={toSave} onClose={() => setToSave(undefined)} />}
      {isManaging && <QueriesDialog onClose={managing.close} />}
    </>
  );
};
