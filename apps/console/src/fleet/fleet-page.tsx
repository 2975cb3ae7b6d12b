import { SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import type { DeviceEvent } from '@lanyard/client/browser';
import { useLiveEvents } from '../api/live-events.ts';
import { useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Permitted } from '../ui/permitted.tsx';

const states = ['registered', 'deregistered'] as const;

const Count = ({ state }: { state: (typeof states)[number] }) => {
  const { data, error, refetch } = useRead(
    'GET /v3/devices',
    { query: { state, limit: 2, include: 'total_count' } },
    { everyMs: 5_000 },
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <Panel title={state}>
      <Text size="xl">{data?.total_count ?? '–'}</Text>
    </Panel>
  );
};

const Newest = () => {
  const [events, setEvents] = useState<DeviceEvent[]>([]);
  const live = useLiveEvents((event) => setEvents((before) => [event, ...before].slice(0, 50)));
  if (events.length === 0)
    return (
      <Empty icon="channels" title="No event yet" command="npm run device">
        Events appear here as they happen ({live}).
      </Empty>
    );
  return events.map((event) => (
    <Text key={event.id} size="sm" className="wrap">
      {event.description}
    </Text>
  ));
};

const FleetPage = () => (
  <Page title="Fleet">
    <Permitted needs="devices.read">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {states.map((state) => (
          <Count key={state} state={state} />
        ))}
      </SimpleGrid>
    </Permitted>
    <Panel title="Newest events">
      <Newest />
    </Panel>
  </Page>
);

export default FleetPage;
