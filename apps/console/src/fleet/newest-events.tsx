import { Box, Group, ScrollArea, Stack, Text } from '@mantine/core';
import type { DeviceEvent } from '@lanyard/client/browser';
import { useDeviceNames } from '../api/device-names.ts';
import { useNewestEvents } from '../api/newest-events.ts';
import { Answered, Empty, moment, PageLink, Panel, Permitted, Status } from '../ui/index.ts';

const listed = 25;
const shownMax = 100;

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

const Entries = ({ events }: { events: readonly DeviceEvent[] }) => {
  const nameOf = useDeviceNames(events.map(({ device_id: id }) => id));
  return (
    <ScrollArea.Autosize
      mah={420}
      type="auto"
      viewportProps={{ role: 'group', tabIndex: 0, 'aria-label': 'Newest events' }}
    >
      <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
        {events.map((event) => (
          <Entry key={event.id} event={event} deviceName={nameOf(event.device_id)} />
        ))}
      </Stack>
    </ScrollArea.Autosize>
  );
};

const Events = () => {
  const { live, ...answer } = useNewestEvents({ limit: listed, shownMax });
  return (
    <Panel
      title="Newest events"
      flush
      aside={<Status color={live === 'live' ? 'teal' : 'gray'}>{live === 'off' ? 'paused' : live}</Status>}
    >
      <Answered answer={answer} height={240}>
        {({ data: events }) =>
          events.length > 0 ? (
            <Entries events={events} />
          ) : (
            <Empty icon="channels" title="Nothing has happened yet" command="npm run device -- --secure">
              Actions of devices and operators appear here.
            </Empty>
          )
        }
      </Answered>
    </Panel>
  );
};

export const NewestEvents = () => (
  <Permitted needs="events.read">
    <Events />
  </Permitted>
);
