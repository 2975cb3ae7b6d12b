import type { DeviceGroup } from '@lanyard/client/browser';
import { TextInput } from '@mantine/core';
import { usePages } from '../api/pages.ts';
import { useSave } from '../api/queries.ts';
import {
  type Column,
  count,
  Empty,
  FormDialog,
  Listing,
  moment,
  Opens,
  Page,
  PageLink,
  recordActions,
  type RecordDialogProps,
  useFields,
} from '../ui/index.ts';

const list = 'GET /v3/device-groups';

const GroupDialog = ({ record: group, onClose }: RecordDialogProps<DeviceGroup>) => {
  const { values, text } = useFields({ name: group?.name ?? '', description: group?.description ?? '' });
  const { change, save } = useSave('/v3/device-groups', group);
  return (
    <FormDialog
      title={group ? `Change the group ${group.name}` : 'Create a device group'}
      verb={group ? 'Save' : 'Create'}
      needs="devices.write for all devices"
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

const columns: readonly Column<DeviceGroup>[] = [
  {
    title: 'Group',
    cell: ({ id, name }) => (
      <PageLink to="/devices" search={{ groups: id }}>
        {name || id}
      </PageLink>
    ),
    more: ({ description }) => description,
  },
  { title: 'Devices', cell: ({ devices_count: n }) => count(n) },
  { title: 'Created', cell: ({ created_at: at }) => moment(at) },
  recordActions({
    what: ({ id, name }) => `the group ${name || id}`,
    needs: 'devices.write for all devices',
    Dialog: GroupDialog,
    removal: 'DELETE /v3/device-groups/{id}',
    changes: [list],
    consequence: 'Its devices are kept. Keys that are limited to this group alone no longer see any device.',
  }),
];

/** The device groups; each leads to its devices. */
const GroupsPage = () => (
  <Page
    title="Groups"
    about="Devices that are operated together, and to which a key can be limited"
    needs="devices.read"
    actions={<Opens label="Create a group" needs="devices.write for all devices" isMain Dialog={GroupDialog} />}
  >
    <Listing
      answer={usePages(list, {})}
      columns={columns}
      empty={
        <Empty icon="devices" title="No device groups yet">
          Create one, then add devices to it from the list of devices, with Actions.
        </Empty>
      }
    />
  </Page>
);

export default GroupsPage;
