import { SimpleGrid } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { Answered, count, Figure, Page } from '../ui/index.ts';
import { Audit } from './audit.tsx';
import { ValueHistory } from './value-history.tsx';

const limited = [
  { name: 'devices', title: 'Devices' },
  { name: 'device_groups', title: 'Device groups' },
  { name: 'api_keys', title: 'API keys' },
  { name: 'applications', title: 'Applications' },
  { name: 'key_groups', title: 'Key groups' },
] as const;

const UsageOfAll = ({ id }: { id: string }) => (
  <Answered answer={useRead('GET /v3/accounts/{id}/usage', { path: { id } }, { everyMs: 30_000 })}>
    {(usage) => (
      <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }}>
        {limited.map(({ name, title }) => {
          const { used, limit } = usage[name];
          return (
            <Figure
              key={name}
              label={title}
              more={limit === null ? 'no limit' : `of ${count(limit)}`}
              share={limit === null ? undefined : used / Math.max(1, limit)}
            >
              {count(used)}
            </Figure>
          );
        })}
        <Figure label="Requests per second" more="at most, of all keys">
          {count(usage.requests_per_second.limit)}
        </Figure>
      </SimpleGrid>
    )}
  </Answered>
);

/** The usage and the limits of the account, and its audit. */
const AccountPage = () => {
  const { account_id: id, account_name: name, subject } = useSession();
  return (
    <Page title="Account" about={`${name}, signed in as ${subject.name}`} needs="admin">
      <UsageOfAll id={id} />
      <ValueHistory accountId={id} />
      <Audit />
    </Page>
  );
};

export default AccountPage;
