import type {
  UpdateCampaign,
  UpdateCampaignDevice,
  UpdateCampaignForecast,
  UpdateCampaignProgress,
} from '@lanyard/client/browser';
import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { useDeviceGroupName } from '../api/choices.ts';
import { usePages } from '../api/pages.ts';
import { useRead } from '../api/queries.ts';
import {
  Answered,
  AnsweredPage,
  ChangeButton,
  type Column,
  Confirm,
  count,
  counted,
  Empty,
  type Fact,
  Facts,
  Listing,
  Notice,
  moment,
  Opens,
  Page,
  PageLink,
  Panel,
  recordPage,
} from '../ui/index.ts';
import { actions, confirmed, possibleIn } from './actions.ts';
import { CampaignDialog } from './campaign-dialog.tsx';
import { CampaignState, isOver, packageOf } from './campaign.tsx';

const readAgain = [
  'GET /v3/update-campaigns/{id}',
  'GET /v3/update-campaigns/{id}/progress',
  'GET /v3/update-campaigns',
] as const;

const everyMs = 3_000;

const consequenceOf = (verb: (typeof confirmed)[number]['verb'], { dry_run: tried }: UpdateCampaign): string => {
  if (verb === 'Abort')
    return 'It ends for every device that has not finished. A device that may already have the package can still install it; the others are not updated.';
  const selected = tried?.state === 'done' ? ` The last try selected ${counted(tried.devices, 'device')}.` : '';
  return `The devices are selected when the campaign starts, and their updates begin as its schedule allows.${selected}`;
};

const parts = [
  { name: 'succeeded', color: 'teal' },
  { name: 'skipped', color: 'gray' },
  { name: 'updating', color: 'blue' },
  { name: 'failed', color: 'red' },
  { name: 'stopped', color: 'orange' },
  { name: 'waiting', color: 'transparent' },
] as const;

const ProgressOf = ({ progress }: { progress: UpdateCampaignProgress }) => (
  <Stack gap="sm">
    <Progress.Root size={20} aria-hidden>
      {parts.map(({ name, color }) => (
        <Progress.Section key={name} value={(100 * progress[name]) / Math.max(1, progress.devices)} color={color} />
      ))}
    </Progress.Root>
    <Group gap="lg">
      <Text size="sm" fw={500}>
        {counted(progress.devices, 'device')}
      </Text>
      {parts.map(({ name }) => (
        <Text key={name} size="sm">
          {count(progress[name])} {name}
        </Text>
      ))}
    </Group>
  </Stack>
);

const deviceColumns: readonly Column<UpdateCampaignDevice>[] = [
  {
    title: 'Device',
    cell: ({ device_id: id, endpoint_name: name }) => <PageLink to={`/devices/${id}`}>{name ?? id}</PageLink>,
  },
  { title: 'State', cell: ({ state, step }) => (step === null ? state : `${state}: ${step}`) },
  { title: 'Attempt', cell: ({ attempt }) => attempt },
  { title: 'Result', cell: ({ event_code: code, reason }) => [code, reason].filter(Boolean).join(' ') },
];

const Devices = ({ id }: { id: string }) => (
  <Listing
    title="Devices"
    answer={usePages('GET /v3/update-campaigns/{id}/devices', { path: { id } }, { everyMs })}
    columns={deviceColumns}
    empty={
      <Empty icon="devices" title="No devices yet">
        They are selected when the campaign starts.
      </Empty>
    }
  />
);

const Forecast = ({ of }: { of: UpdateCampaignForecast }) => (
  <Alert color="blue" title={`${counted(of.devices, 'device')} would be selected`}>
    {count(of.ready)} to be updated at once, {count(of.asleep)} asleep, {count(of.not_registered)} not registered,{' '}
    {count(of.suspended)} suspended, {count(of.up_to_date)} with the version already, {count(of.busy)} in another
    campaign.
  </Alert>
);

const Selection = ({ campaign: { group_id: group, filter } }: { campaign: UpdateCampaign }) => {
  const groupName = useDeviceGroupName();
  return [group !== null && `group ${groupName(group)}`, filter].filter(Boolean).join(', ') || 'all devices';
};

const factsOf = (campaign: UpdateCampaign): Fact[] => {
  const {
    started_at: started,
    when,
    finished_at: finished,
    ends_at: ends,
    window,
    failure_percent_max: max,
  } = campaign;
  return [
    ['Installs', `${packageOf(campaign)} ${campaign.firmware_version}`],
    ['Devices', <Selection key="selection" campaign={campaign} />],
    started === null ? ['Starts', when ? moment(when) : 'at once'] : ['Started', moment(started)],
    finished === null ? ['Ends', ends && moment(ends)] : ['Ended', moment(finished)],
    ['Updates begin', window ? `from ${window.from} until ${window.to} UTC` : 'all day'],
    ['Devices at once', count(campaign.concurrency)],
    [
      'Stops when',
      max === null ? null : `more than ${max} % have failed, at least ${count(campaign.failure_count_min)}`,
    ],
  ];
};

const Campaign = ({ campaign }: { campaign: UpdateCampaign }) => {
  const { id, name, state } = campaign;
  const progress = useRead('GET /v3/update-campaigns/{id}/progress', { path: { id } }, { everyMs });
  return (
    <Page
      title={name || id}
      about={<CampaignState state={state} />}
      actions={
        <>
          {!isOver(campaign) && (
            <Opens label="Change" needs="campaigns">
              {(close) => <CampaignDialog record={campaign} onClose={close} />}
            </Opens>
          )}
          {possibleIn(campaign, actions).map(({ label, operation }) => (
            <ChangeButton
              key={label}
              needs="campaigns"
              operation={operation}
              input={{ path: { id } }}
              changes={readAgain}
            >
              {label}
            </ChangeButton>
          ))}
          {possibleIn(campaign, confirmed).map(({ verb, operation }) => (
            <Confirm
              key={verb}
              verb={verb}
              what={`the campaign ${name || id}`}
              size="sm"
              needs="campaigns"
              operation={operation}
              input={{ path: { id } }}
              changes={readAgain}
            >
              {consequenceOf(verb, campaign)}
            </Confirm>
          ))}
        </>
      }
    >
      {campaign.reason !== null && <Notice tone="warning">{campaign.reason}</Notice>}
      {campaign.dry_run?.state === 'running' && <Text role="status">The dry run is selecting devices.</Text>}
      {campaign.dry_run?.state === 'refused' && (
        <Notice tone="warning" title="The devices cannot be selected">
          {campaign.dry_run.message}
        </Notice>
      )}
      {campaign.dry_run?.state === 'done' && <Forecast of={campaign.dry_run} />}
      <Panel title="Progress">
        <Answered answer={progress} height={60}>
          {(data) => <ProgressOf progress={data} />}
        </Answered>
      </Panel>
      <Panel flush>
        <Facts facts={factsOf(campaign)} />
      </Panel>
      <Devices id={id} />
    </Page>
  );
};

/** One campaign: its progress in total and by device, and the actions on it. */
export default recordPage('campaigns', ({ id }) => (
  <AnsweredPage title="Campaign" answer={useRead('GET /v3/update-campaigns/{id}', { path: { id } }, { everyMs })}>
    {(campaign) => <Campaign campaign={campaign} />}
  </AnsweredPage>
));
