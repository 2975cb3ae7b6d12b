import { Badge, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@lanyard/client/browser';
import { useRead } from '../api/queries.ts';
import { count, Failure, Icon, moment, PageLink, Panel } from '../ui/index.ts';

type Kind = AnswerOf<'GET /v3/attention'>['kinds'][number];

const titles: Record<string, string> = {
  'lost-subscriptions': 'Lost subscriptions',
  'stuck-commands': 'Stuck commands',
  'failing-channels': 'Failing channels',
  'expiring-certificates': 'Expiring certificates',
};

const KindOfTrouble = ({ kind }: { kind: Kind }) => (
  <Stack gap={6}>
    <Group gap="xs">
      <Text fw={600} size="sm">
        {titles[kind.kind] ?? kind.kind}
      </Text>
      <Badge color="orange" variant="light" tt="none" c="var(--mantine-color-text)">
        {kind.count_is_exact ? count(kind.count) : `more than ${count(kind.count - 1)}`}
      </Badge>
    </Group>
    <List size="sm" spacing={4}>
      {kind.data.map(({ id, text, since, device_id: device, key_id: key }) => (
        <List.Item key={id} className="wrap">
          {text} {device !== null && <PageLink to={`/devices/${device}`}>Open the device</PageLink>}
          {kind.kind === 'failing-channels' && <PageLink to={`/channels/${key}`}>Open the channel</PageLink>}{' '}
          <Text span size="xs" c="dimmed">
            {moment(since)}
          </Text>
        </List.Item>
      ))}
    </List>
  </Stack>
);

/** What an operator should look at. */
export const Attention = () => {
  const { data, error, refetch } = useRead('GET /v3/attention', {}, { everyMs: 30_000 });
  const troubles = data?.kinds.filter(({ count: n }) => n > 0) ?? [];
  return (
    <Panel title="Needs attention">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={96} />}
      {data && (
        <Stack gap="md">
          {troubles.map((kind) => (
            <KindOfTrouble key={kind.kind} kind={kind} />
          ))}
          {troubles.length === 0 && (
            <Group gap="xs" wrap="nowrap" c="var(--mantine-color-teal-text)" align="flex-start">
              <Icon name="check" />
              <Text size="sm" c="var(--mantine-color-text)">
                No lost subscriptions, stuck commands, failing channels or expiring certificates.
              </Text>
            </Group>
          )}
          {data.left_out.map(({ service, reason }) => (
            <Text key={service} size="sm" c="dimmed">
              Without {service}: {reason}
            </Text>
          ))}
        </Stack>
      )}
    </Panel>
  );
};
