import { Badge, Box, Group, ScrollArea, Stack, Text } from '@mantine/core';
import type { DeviceEvent } from '@lanyard/client/browser';
import { useDeviceNames } from '../api/device-names.ts';
import type { LiveState } from '../api/live-events.ts';
import { useNewestEvents } from '../api/newest-events.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';

const listed = 25;
const shownMax = 100;

const stateNames: Record<LiveState, string> = {
  off: 'paused',
  connecting: 'connecting',
  live: 'live',
  interrupted: 'interrupted',
  ended: 'ended',
};

const Entry = ({ event, deviceName }: { event: DeviceEvent; deviceName: string }) => (
  <Box component="li" py={8} px="md" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
    <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
      <Text size="sm" className="wrap">
        {event.description || event.event_type_description}
      </Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {moment(event.date_time)}
      </Text>
    </Group>
    <Text size="xs" c="dimmed" className="wrap">
      {event.event_code}{' '}
      {event.device_id && (
        <PageLink to={`/devices/${event.device_id}`} size="xs">
          {deviceName}
        </PageLink>
      )}
    </Text>
  </Box>
);

const Events = () => {
  const { events = [], live, error, refetch } = useNewestEvents(listed, shownMax);
  const nameOf = useDeviceNames(events.map(({ device_id: id }) => id));
  return (
    <Panel
      title="Newest events"
      flush
      aside={
        <Badge variant="dot" color={live === 'live' ? 'teal' : 'gray'} tt="none" fw={500}>
          {stateNames[live]}
        </Badge>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && events.length === 0 && (
        <Empty icon="channels" title="Nothing has happened yet" command="npm run device -- --secure">
          What devices and operators do appears here.
        </Empty>
      )}
      <ScrollArea.Autosize mah={420} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Newest events' }}>
        <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
          {events.map((event) => (
            <Entry key={event.id} event={event} deviceName={nameOf(event.device_id)} />
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Panel>
  );
};

export const NewestEvents = () => (
  <Permitted needs="events.read">
    <Events />
  </Permitted>
);
