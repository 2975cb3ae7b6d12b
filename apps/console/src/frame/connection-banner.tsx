import { Group, Loader, Text } from '@mantine/core';
import { useLostSince } from '../api/connection.ts';
import { Icon, moment } from '../ui/index.ts';

/** Shown while the gateway does not answer: tells how old the content of the page is. */
export const ConnectionBanner = () => {
  const since = useLostSince();
  return (
    <div role="status">
      {since && (
        <Group bg="var(--banner)" c="var(--banner-text)" px="md" py="xs" gap="sm" wrap="nowrap">
          <Icon name="lost" />
          <Text size="sm" flex={1}>
            <b>Connection lost.</b> What you see is from {moment(since)}. The console tries again every two seconds.
          </Text>
          <Loader size="xs" color="currentColor" aria-hidden />
        </Group>
      )}
    </div>
  );
};
