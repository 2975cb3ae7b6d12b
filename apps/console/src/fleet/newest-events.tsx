import { Badge, Box, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { DeviceEvent } from '@lanyard/client/browser';
import { type LiveState, useLiveEvents } from '../api/live-events.ts';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { moment } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';

const shownMax = 100;

const stateNames: Record<LiveState, string> = {
  off: 'paused',
  connecting: 'connecting',
  live: 'live',
  interrupted: 'interrupted',
  ended: 'ended',
};

const Entry = ({ event }: { event: DeviceEvent }) => (
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
        <PageLink to={`/devices/${event.device_id}`} size="xs" aria-label={`Device ${event.device_id}`}>
          {event.device_id}
        </PageLink>
      )}
    </Text>
  </Box>
);

const Events = () => {
  const [arrived, setArrived] = useState<DeviceEvent[]>([]);
  const live = useLiveEvents((event) => setArrived((before) => [event, ...before].slice(0, shownMax)));
  const { data, error, refetch } = useRead('GET /v3/device-events', { query: { order: 'DESC', limit: 25 } });
  const known = new Set(arrived.map(({ id }) => id));
  const events = [...arrived, ...(data?.data ?? []).filter(({ id }) => !known.has(id))].slice(0, shownMax);
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
      {data && events.length === 0 && (
        <Empty icon="channels" title="Nothing has happened yet" command="npm run device -- --secure">
          What devices and operators do appears here.
        </Empty>
      )}
      <ScrollArea.Autosize mah={420} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Newest events' }}>
        <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
          {events.map((event) => (
            <Entry key={event.id} event={event} />
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
