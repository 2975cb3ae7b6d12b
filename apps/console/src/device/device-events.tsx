import type { DeviceEvent } from '@lanyard/client/browser';
import { Text, Timeline } from '@mantine/core';
import { useNewestEvents } from '../api/newest-events.ts';
import { Answered, Empty, moment, Panel } from '../ui/index.ts';

const listed = 100;
const shownMax = 500;

const Entry = ({ event }: { event: DeviceEvent }) => (
  <>
    <Text size="sm" className="wrap">
      {event.description || event.event_type_description}
    </Text>
    <Text size="xs" c="dimmed">
      {event.event_code} · {moment(event.date_time)}
    </Text>
  </>
);

/** The event log of the device, the newest first. */
export const DeviceEvents = ({ deviceId }: { deviceId: string }) => (
  <Answered answer={useNewestEvents(listed, shownMax, deviceId)} height={240}>
    {(events) => (
      <Panel>
        {events.length === 0 ? (
          <Empty icon="channels" title="Nothing has happened yet">
            What the device does, and what is done with it, appears here.
          </Empty>
        ) : (
          <Timeline bulletSize={12} lineWidth={2}>
            {events.map((event) => (
              <Timeline.Item key={event.id}>
                <Entry event={event} />
              </Timeline.Item>
            ))}
          </Timeline>
        )}
      </Panel>
    )}
  </Answered>
);
