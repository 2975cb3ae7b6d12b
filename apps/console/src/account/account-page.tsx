import type { AccountUsage } from '@lanyard/client/browser';
import { Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { Answered, count, Page, Panel } from '../ui/index.ts';
import { Audit } from './audit.tsx';

const limited = [
  { name: 'devices', title: 'Devices' },
  { name: 'device_groups', title: 'Device groups' },
  { name: 'api_keys', title: 'API keys' },
  { name: 'applications', title: 'Applications' },
  { name: 'key_groups', title: 'Key groups' },
] as const;

type Usage = AccountUsage['devices'];

const UsageOf = ({ title, usage: { used, limit } }: { title: string; usage: Usage }) => (
  <Panel title={title}>
    <Stack gap={4}>
      <Text size="xl" fw={600}>
        {count(used)}
      </Text>
      <Text size="sm" c="dimmed">
        {limit === null ? 'no limit' : `of ${count(limit)}`}
      </Text>
      {limit !== null && <Progress value={(100 * used) / Math.max(1, limit)} aria-label={`${title} in use`} />}
    </Stack>
  </Panel>
);

const UsageOfAll = ({ id }: { id: string }) => (
  <Answered answer={useRead('GET /v3/accounts/{id}/usage', { path: { id } }, { everyMs: 30_000 })}>
    {(usage) => (
      <SimpleGrid cols={{ base: 2, md: 5 }}>
        {limited.map(({ name, title }) => (
          <UsageOf key={name} title={title} usage={usage[name]} />
        ))}
      </SimpleGrid>
    )}
  </Answered>
);

/** What the account uses, its limits, and who did what. */
const AccountPage = () => {
  const { account_id: id, account_name: name, subject } = useSession();
  return (
    <Page title="Account" about={`${name}, signed in as ${subject.name}`} needs="admin">
      <UsageOfAll id={id} />
      <Audit />
    </Page>
  );
};

export default AccountPage;
