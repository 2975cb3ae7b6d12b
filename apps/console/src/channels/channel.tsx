import type { AccountChannel } from '@lanyard/client/browser';
import { Group, Progress, Stack, Text } from '@mantine/core';
import { bytes, count, Status } from '../ui/index.ts';

export const kinds: Record<AccountChannel['delivery_mechanism'], string> = {
  CALLBACK: 'Callback',
  WEB_SOCKET: 'WebSocket',
  LONG_POLLING: 'Pull',
};

/** Whether the channel delivers, in one word. */
export const ChannelState = ({ channel: { problem, connected } }: { channel: AccountChannel }) => {
  if (problem !== null) return <Status color="orange">failing</Status>;
  return connected === false ? <Status color="gray">not connected</Status> : <Status color="teal">delivering</Status>;
};

type Queue = Pick<AccountChannel, 'queue_size' | 'queue_bytes' | 'queue_bytes_max'>;

/** How full the queue is. */
export const QueueLevel = ({
  queue: { queue_size: size, queue_bytes: used, queue_bytes_max: max },
}: {
  queue: Queue;
}) => {
  if (size < 0) return <Text size="sm">unknown</Text>;
  const percent = (100 * used) / max;
  return (
    <Stack gap={4}>
      <Group gap={6}>
        <Text size="sm">{count(size)}</Text>
        <Text size="xs" c="dimmed">
          {bytes(used)}
        </Text>
      </Group>
      {size > 0 && (
        <Progress
          value={percent}
          size="sm"
          color={percent > 80 ? 'orange' : undefined}
          aria-label={`Queue ${Math.round(percent)} % full`}
        />
      )}
    </Stack>
  );
};
