import type { DeviceGroup } from '@lanyard/client/browser';
import { Group, TextInput } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { useChange, useSave } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { useFields } from '../ui/fields.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { Opens } from '../ui/opens.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import type { Column } from '../ui/table.tsx';
import { Titled } from '../ui/titled.tsx';

const list = 'GET /v3/device-groups';

const columns: readonly Column<DeviceGroup>[] = [
  {
    title: 'Group',
    cell: ({ id, name, description }) => (
      <Titled more={description}>
        <PageLink to="/devices" search={{ groups: id }}>
          {name || id}
        </PageLink>
      </Titled>
    ),
  },
  { title: 'Devices', cell: ({ devices_count: n }) => count(n) },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  {
    title: 'Actions',
    cell: (group) => (
      <Group gap="xs">
        <Opens label="Change" what={`the group ${group.name}`} needs="devices.write">
          {(close) => <GroupDialog group={group} onClose={close} />}
        </Opens>
        <Removal group={group} />
      </Group>
    ),
  },
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

const GroupDialog = ({ group, onClose }: { group?: DeviceGroup; onClose: () => void }) => {
  const { values, text } = useFields({ name: group?.name ?? '', description: group?.description ?? '' });
  const { change, save } = useSave('POST /v3/device-groups', 'PUT /v3/device-groups/{id}', [list], group);
  return (
    <FormDialog
      title={group ? `Change the group ${group.name}` : 'Create a device group'}
      verb={group ? 'Save' : 'Create'}
      needs="devices.write"
      change={change}
      onSubmit={() => save({ ...values, name: values.name.trim() }, onClose)}
      onClose={onClose}
      unavailable={values.name.trim() === '' ? 'Enter a name.' : undefined}
    >
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
      <TextInput label="Description" {...text('description')} />
    </FormDialog>
  );
};

/** The device groups; each leads to its devices. */
const GroupsPage = () => (
  <Page
    title="Groups"
    about="Devices that are operated together, and that a key may be limited to"
    actions={
      <Opens label="Create a group" needs="devices.write" isMain>
        {(close) => <GroupDialog onClose={close} />}
      </Opens>
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
  </Page>
);

export default GroupsPage;
