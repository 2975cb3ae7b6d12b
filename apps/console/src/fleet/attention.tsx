import { Badge, Group, List, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@lanyard/client/browser';
import { useRead } from '../api/queries.ts';
import { Answered, count, Icon, LeftOut, moment, PageLink, Panel } from '../ui/index.ts';

type Kind = AnswerOf<'GET /v3/attention'>['kinds'][number];

const titles: Record<string, string> = {
  'lost-subscriptions': 'Lost subscriptions',
  'stuck-commands': 'Stuck commands',
  'failing-channels': 'Failing channels',
  'expiring-certificates': 'Expiring certificates',
};

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

const nameOf = (kind: string): string => titles[kind] ?? kind;

const KindOfTrouble = ({ kind }: { kind: Kind }) => (
  <Stack gap={6}>
    <Group gap="xs">
      <Text fw={600} size="sm">
        {nameOf(kind.kind)}
      </Text>
      <Badge color="orange" variant="light" tt="none" c="var(--mantine-color-text)">
        {kind.count_is_exact ? count(kind.count) : `more than ${count(kind.count)}`}
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
    {kind.count > kind.data.length && (
      <Text size="xs" c="dimmed">
        The first {kind.data.length} are shown. GET /v3/attention/{kind.kind} lists all.
      </Text>
    )}
  </Stack>
);

/** Says that nothing of a kind was found only for kinds that were counted. Those of services left out were not. */
const Troubles = ({ attention: { kinds, left_out: leftOut } }: { attention: AnswerOf<'GET /v3/attention'> }) => {
  const troubles = kinds.filter(({ count: n }) => n > 0);
  return (
    <Stack gap="md">
      {troubles.map((kind) => (
        <KindOfTrouble key={kind.kind} kind={kind} />
      ))}
      {kinds.length > 0 && troubles.length === 0 && (
        <Group gap="xs" wrap="nowrap" c="var(--mantine-color-teal-text)" align="flex-start">
          <Icon name="check" />
          <Text size="sm" c="var(--mantine-color-text)">
            No {alternatives.format(kinds.map(({ kind }) => nameOf(kind).toLowerCase()))}.
          </Text>
        </Group>
      )}
      <LeftOut services={leftOut} c="dimmed" />
    </Stack>
  );
};

/** What an operator should look at. */
export const Attention = () => (
  <Panel title="Needs attention">
    <Answered answer={useRead('GET /v3/attention', {}, { everyMs: 30_000 })} height={96}>
      {(attention) => <Troubles attention={attention} />}
    </Answered>
  </Panel>
);
