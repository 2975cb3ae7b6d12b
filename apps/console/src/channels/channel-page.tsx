import type { AccountChannel, ChannelTest } from '@lanyard/client/browser';
import { Alert, Skeleton } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useKeyName } from '../api/key-names.ts';
import { useChange, useRead } from '../api/queries.ts';
import { type Fact, Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { bytes, count, moment } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { ActionButton, Permitted } from '../ui/permitted.tsx';
import { ChannelState, kinds, QueueLevel } from './channel.tsx';
import { LastMessages } from './last-messages.tsx';
import { SigningSecrets } from './signing-secrets.tsx';

const everyMs = 3_000;

const droppedOf = ({ dropped: { size, age, failed } }: AccountChannel): string =>
  `${count(size)} because the queue was full, ${count(age)} too old, ${count(failed)} that the receiver refused`;

const factsOf = (channel: AccountChannel): Fact[] => [
  ['Delivers by', kinds[channel.delivery_mechanism]],
  ['Receiver', channel.receiver],
  ['Queue', <QueueLevel key="queue" queue={channel} />],
  ['Queue limit', bytes(channel.queue_bytes_max)],
  ['Oldest event', channel.oldest === null ? 'none' : moment(channel.oldest)],
  ['Failed deliveries in a row', channel.delivery_mechanism === 'CALLBACK' ? count(channel.failures) : null],
  ['Dropped', droppedOf(channel)],
  ['Registered', moment(channel.created_at)],
];

const Problem = ({
  channel: { problem, problem_since: since, loses_events_at: lossAt },
}: {
  channel: AccountChannel;
}) =>
  problem === null ? null : (
    <Alert
      color="orange"
      variant="outline"
      icon={<Icon name="warning" />}
      title={since === null ? 'It does not deliver' : `It has not delivered since ${moment(since)}`}
    >
      {problem}
      {lossAt !== null && ` If nothing changes, events will be lost from ${moment(lossAt)} on.`}
    </Alert>
  );

const Outcome = ({ test: { delivered, reason } }: { test: ChannelTest }) => (
  <Alert
    role="status"
    color={delivered ? 'teal' : 'orange'}
    variant="outline"
    icon={<Icon name={delivered ? 'check' : 'warning'} />}
    title={delivered ? 'The receiver accepted the test message' : 'The receiver did not accept the test message'}
  >
    {delivered ? 'It answered with 200 or 204.' : `It has to answer with 200 or 204 within 20 s. What came: ${reason}.`}
  </Alert>
);

const KnownChannel = ({ id }: { id: string }) => {
  const nameOf = useKeyName();
  const { data: channel, error, refetch } = useRead('GET /v3/channels/{id}', { path: { id } }, { everyMs });
  const test = useChange('POST /v3/channels/{id}/test', []);
  if (error || !channel)
    return (
      <Page title="Channel">
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
      </Page>
    );
  const isCallback = channel.delivery_mechanism === 'CALLBACK';
  return (
    <Page
      title={`Channel of ${nameOf(id)}`}
      about={<ChannelState channel={channel} />}
      actions={
        <ActionButton
          needs="notifications"
          variant="default"
          unavailable={isCallback ? undefined : 'Only callbacks are called: other applications come for their events.'}
          loading={test.isPending}
          onClick={() => test.mutate({ path: { id } })}
        >
          Send a test message
        </ActionButton>
      }
    >
      {test.data && <Outcome test={test.data} />}
      {test.error && <Failure error={test.error} />}
      <Problem channel={channel} />
      <Panel flush>
        <Facts facts={factsOf(channel)} />
      </Panel>
      <LastMessages channelId={id} />
      {isCallback && <SigningSecrets channelId={id} />}
    </Page>
  );
};

/** One channel: what waits in its queue, why it does not deliver, what went out last, and the secrets that sign it. */
const ChannelPage = () => {
  const { id = '' } = useParams({ strict: false });
  return (
    <Permitted needs="notifications">
      <KnownChannel id={id} />
    </Permitted>
  );
};

export default ChannelPage;
