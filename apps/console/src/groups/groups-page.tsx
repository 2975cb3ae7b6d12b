import type { DeviceGroup } from '@lanyard/client/browser';
import { Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { usePages } from '../api/pages.ts';
import { useChange } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { ActionButton, Permitted } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';

const list = 'GET /v3/device-groups';

const columns: readonly Column<DeviceGroup>[] = [
  {
    title: 'Group',
    cell: ({ id, name, description }) => (
      <>
        <PageLink to="/devices" search={{ groups: id }} size="sm" fw={500}>
          {name || id}
        </PageLink>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      </>
    ),
  },
  { title: 'Devices', cell: ({ devices_count: n }) => count(n) },
  { title: 'Created', cell: ({ created_at: at }) => moment(at), isMinor: true },
  { title: 'Action', cell: (group) => <Removal group={group} /> },
];

const Removal = ({ group: { id, name } }: { group: DeviceGroup }) => (
  <Confirm
    verb="Delete"
    what={`the group ${name || id}`}
    needs="devices.write"
    change={useChange('DELETE /v3/device-groups/{id}', [list])}
    input={{ path: { id } }}
  >
    Its devices stay. Keys that are limited to this group only see no device any more.
  </Confirm>
);

const GroupDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useChange('POST /v3/device-groups', [list]);
  return (
    <FormDialog
      title="Create a device group"
      verb="Create"
      needs="devices.write"
      change={create}
      onSubmit={() => create.mutate({ body: { name: name.trim(), description } }, { onSuccess: onClose })}
      onClose={onClose}
      unavailable={name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={128}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Description"
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
    </FormDialog>
  );
};

/** The device groups; each leads to its devices. */
const GroupsPage = () => {
  const [isCreating, { open, close }] = useDisclosure();
  return (
    <Page
      title="Groups"
      about="Devices that are operated together, and that a key may be limited to"
      actions={
        <ActionButton needs="devices.write" onClick={open}>
          Create a group
        </ActionButton>
      }
    >
      <Permitted needs="devices.read">
        <Panel flush>
          <Listing
            answer={usePages(list, {})}
            columns={columns}
            keyOf={({ id }) => id}
            empty={
              <Empty icon="devices" title="No device groups yet">
                Create one, then add devices to it from the list of devices, with Actions.
              </Empty>
            }
          />
        </Panel>
      </Permitted>
      {isCreating && <GroupDialog onClose={close} />}
    </Page>
  );
};

export default GroupsPage;
