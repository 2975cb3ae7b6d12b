import type { AccountChannel, ChannelTest } from '@lanyard/client/browser';
import { useKeyName } from '../api/key-names.ts';
import { useChange, useRead } from '../api/queries.ts';
import {
  ActionButton,
  AnsweredPage,
  bytes,
  count,
  type Fact,
  Facts,
  Failure,
  moment,
  Notice,
  Page,
  Panel,
  recordPage,
} from '../ui/index.ts';
import { ChannelState, kinds, QueueLevel } from './channel.tsx';
import { LastMessages } from './last-messages.tsx';
import { SigningSecrets } from './signing-secrets.tsx';

const everyMs = 3_000;

const droppedOf = ({ dropped: { size, age, failed } }: AccountChannel): string =>
  `${count(size)} because the queue was full, ${count(age)} too old, ${count(failed)} that the receiver refused`;

const factsOf = (channel: AccountChannel): Fact[] => [
  ['Delivers by', kinds[channel.delivery_mechanism]],
  ['Receiver', channel.receiver],
  ['Connected from', channel.connected_from],
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
    <Notice
      tone="warning"
      title={since === null ? 'The channel does not deliver' : `The channel has not delivered since ${moment(since)}`}
    >
      {problem}
      {lossAt !== null && ` If nothing changes, events will be lost from ${moment(lossAt)} on.`}
    </Notice>
  );

const Outcome = ({ test: { delivered, reason } }: { test: ChannelTest }) => (
  <Notice
    role="status"
    tone={delivered ? 'good' : 'warning'}
    title={delivered ? 'The receiver accepted the test message' : 'The receiver did not accept the test message'}
  >
    {delivered ? 'It answered with 200 or 204.' : `It has to answer with 200 or 204 within 20 s. Result: ${reason}.`}
  </Notice>
);

const Channel = ({ channel }: { channel: AccountChannel }) => {
  const test = useChange('POST /v3/channels/{id}/test', []);
  const { id } = channel;
  const isCallback = channel.delivery_mechanism === 'CALLBACK';
  return (
    <Page
      title={`Channel of ${useKeyName()(id)}`}
      about={<ChannelState channel={channel} />}
      actions={
        <ActionButton
          variant="default"
          needs="notifications"
          unavailable={isCallback ? undefined : 'Only callbacks can be tested: other applications fetch their events.'}
          loading={test.isPending}
          onClick={() => test.mutate({ path: { id } })}
        >
          Send a test message
        </ActionButton>
      }
    >
      {test.error && <Failure error={test.error} />}
      {test.data && <Outcome test={test.data} />}
      <Problem channel={channel} />
      <Panel flush>
        <Facts facts={factsOf(channel)} />
      </Panel>
      <LastMessages channelId={id} />
      {isCallback && <SigningSecrets channelId={id} />}
    </Page>
  );
};

/** One channel: its queue, why it does not deliver, its last messages, and the secrets that sign them. */
export default recordPage('notifications', ({ id }) => (
  <AnsweredPage title="Channel" answer={useRead('GET /v3/channels/{id}', { path: { id } }, { everyMs })}>
    {(channel) => <Channel channel={channel} />}
  </AnsweredPage>
));
