import type { Device } from '@lanyard/client/browser';
import { Group, Tabs, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeviceGroupName, useSuspensionCategories } from '../api/choices.ts';
import { useRead } from '../api/queries.ts';
import {
  AnsweredPage,
  Confirm,
  DeviceState,
  isSuspended,
  moment,
  nameOf,
  Opens,
  Page,
  Permitted,
  recordPage,
} from '../ui/index.ts';
import { Commands } from './commands.tsx';
import { Credentials } from './credentials.tsx';
import { DeviceEvents } from './device-events.tsx';
import { Explanation } from './explanation.tsx';
import { NameDialog } from './name-dialog.tsx';
import { Radio } from './radio.tsx';
import { Resources } from './resources.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { SuspensionDialog } from './suspension-dialog.tsx';
import { reasonsOf, suspensionVerb } from './suspension.ts';

const tabs = [
  { value: 'resources', label: 'Resources', needs: 'snapshots.read', Part: Resources },
  { value: 'commands', label: 'Commands', needs: 'commands', Part: Commands },
  { value: 'subscriptions', label: 'Subscriptions', needs: 'subscriptions', Part: Subscriptions },
  { value: 'events', label: 'Events', needs: 'events.read', Part: DeviceEvents },
  { value: 'credentials', label: 'Credentials', needs: 'devices.read', Part: Credentials },
  { value: 'radio', label: 'Radio', needs: 'devices.read', Part: Radio },
] as const;

/** Why the device is suspended, and since when. */
const Suspension = ({ device }: { device: Device }) => {
  const { data: categories } = useSuspensionCategories().input;
  const labelOf = (category: string | null) => categories.find(({ value }) => value === category)?.label ?? category;
  return reasonsOf(device)
    .map(({ by, category, description, since }) =>
      [by === 'system' && 'By the system', labelOf(category), description, since && `since ${moment(since)}`]
        .filter(Boolean)
        .join(', '),
    )
    .join('; ');
};

const GroupsOf = ({ device: { groups } }: { device: Device }) => `in ${groups.map(useDeviceGroupName()).join(', ')}`;

const About = ({ device }: { device: Device }) => (
  <Group gap="xs">
    <DeviceState device={device} />
    {isSuspended(device) && (
      <Text size="sm" className="wrap">
        <Suspension device={device} />
      </Text>
    )}
    <Text size="sm" className="wrap">
      {[device.description, device.endpoint_name, device.endpoint_type, device.id]
        .filter((one) => one && one !== nameOf(device))
        .join(' · ')}
    </Text>
    {device.groups.length > 0 && (
      <Text size="sm" className="wrap">
        <GroupsOf device={device} />
      </Text>
    )}
  </Group>
);

/** The selected tab is in the URL, so that it can be shared. */
const Parts = ({ deviceId }: { deviceId: string }) => {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const chosen = tabs.find(({ value }) => value === search.tab)?.value ?? tabs[0].value;
  const choose = (tab: string | null) => void navigate({ to: '.', search: () => ({ tab: tab ?? undefined }) });
  return (
    <Tabs value={chosen} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, needs, Part }) => (
        <Tabs.Panel key={value} value={value}>
          <Permitted needs={needs}>
            <Part deviceId={deviceId} />
          </Permitted>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
};

const DevicePage = ({ device }: { device: Device }) => {
  const { id } = device;
  const name = nameOf(device);
  const navigate = useNavigate();
  return (
    <Page
      title={name}
      about={<About device={device} />}
      actions={
        <>
          <Opens label="Change" needs="devices.write">
            {(close) => <NameDialog device={device} onClose={close} />}
          </Opens>
          <Opens label={suspensionVerb(device)} needs="devices.suspend">
            {(close) => <SuspensionDialog device={device} onClose={close} />}
          </Opens>
          <Confirm
            verb="Delete"
            what={`the device ${name}`}
            size="sm"
            needs="devices.write"
            operation="DELETE /v3/devices/{id}"
            input={{ path: { id } }}
            changes={['GET /v3/devices']}
            // The question still holds the page: it is drawn as closed later.
            onDone={() => void navigate({ to: '/devices', ignoreBlocker: true })}
          >
            It is disconnected, and its waiting commands fail. Its credentials, subscriptions and values are removed;
            the event log keeps its entries.
          </Confirm>
        </>
      }
    >
      <Explanation deviceId={id} />
      <Parts deviceId={id} />
    </Page>
  );
};

/** One device: its next step, resources, commands, subscriptions, events, credentials and radio settings. */
export default recordPage('devices.read', ({ id }) => (
  <AnsweredPage title="Device" answer={useRead('GET /v3/devices/{id}', { path: { id } }, { everyMs: 10_000 })}>
    {(device) => <DevicePage device={device} />}
  </AnsweredPage>
));
