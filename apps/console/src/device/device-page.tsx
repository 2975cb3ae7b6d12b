import type { Device } from '@lanyard/client/browser';
import { Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { Commands } from './commands.tsx';
import { Credentials } from './credentials.tsx';
import { DeviceEvents } from './device-events.tsx';
import { Explanation } from './explanation.tsx';
import { Resources } from './resources.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { SuspensionButton } from './suspension.tsx';

const tabs = [
  { value: 'resources', label: 'Resources', needs: 'snapshots.read', Part: Resources },
  { value: 'commands', label: 'Commands', needs: 'commands', Part: Commands },
  { value: 'subscriptions', label: 'Subscriptions', needs: 'subscriptions', Part: Subscriptions },
  { value: 'events', label: 'Events', needs: 'events.read', Part: DeviceEvents },
  { value: 'credentials', label: 'Credentials', needs: 'devices.read', Part: Credentials },
] as const;

const isBlocked = ({ lifecycle_status: status }: Device) => status === 'blocked';

const About = ({ device }: { device: Device }) => (
  <Group gap="xs">
    <StateBadge state={isBlocked(device) ? 'suspended' : device.state} />
    <Text size="sm" className="wrap">
      {[device.endpoint_name, device.endpoint_type, device.id].filter(Boolean).join(' · ')}
    </Text>
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

const KnownDevice = ({ id }: { id: string }) => {
  const { data: device, error, refetch } = useRead('GET /v3/devices/{id}', { path: { id } }, { everyMs: 10_000 });
  if (error)
    return (
      <Page title="Device">
        <Failure error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!device)
    return (
      <Page title="Device">
        <Skeleton height={240} />
      </Page>
    );
  return (
    <Page
      title={device.name ?? device.endpoint_name ?? device.id}
      about={<About device={device} />}
      actions={<SuspensionButton deviceId={id} isSuspended={isBlocked(device)} />}
    >
      <Stack gap="lg">
        <Explanation deviceId={id} />
        <Parts deviceId={id} />
      </Stack>
    </Page>
  );
};

/** One device: what it waits for, its resources, commands, subscriptions, events and credentials. */
const DevicePage = () => {
  const { id = '' } = useParams({ strict: false });
  return (
    <Permitted needs="devices.read">
      <KnownDevice id={id} />
    </Permitted>
  );
};

export default DevicePage;
