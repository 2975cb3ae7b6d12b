import type { DeviceEvent } from '@lanyard/client/browser';
import { Box, Text, Timeline } from '@mantine/core';
import { useNewestEvents } from '../api/newest-events.ts';
import { settled, useTurning } from '../api/turning.ts';
import { Answered, Empty, EndOfList, isShown, moment, Pager, Panel } from '../ui/index.ts';

const pageEvents = 100;
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

const NoEvents = () => (
  <Empty icon="channels" title="Nothing has happened yet">
    Events of the device and actions on it appear here.
  </Empty>
);

/** The event log of the device, the newest first, page by page. */
export const DeviceEvents = ({ deviceId }: { deviceId: string }) => {
  const { after, turning: turned } = useTurning();
  const answer = useNewestEvents({ limit: pageEvents, shownMax, deviceId, after });
  const turning = settled(turned, answer.isPlaceholderData);
  return (
    <>
      <Answered answer={answer} height={240}>
        {({ data: events, has_more: hasMore }) => (
          <Panel flush>
            {events.length > 0 && (
              <Box p="md">
                <Timeline bulletSize={12} lineWidth={2}>
                  {events.map((event) => (
                    <Timeline.Item key={event.id}>
                      <Entry event={event} />
                    </Timeline.Item>
                  ))}
                </Timeline>
              </Box>
            )}
            {events.length === 0 && (turning.page > 1 ? <EndOfList /> : <NoEvents />)}
            <Pager turning={turning} lastId={events.at(-1)?.id} hasMore={hasMore} />
          </Panel>
        )}
      </Answered>
      {!isShown(answer) && <Pager turning={turning} />}
    </>
  );
};
