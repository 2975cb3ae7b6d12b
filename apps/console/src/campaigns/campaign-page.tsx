import type { UpdateCampaign, UpdateCampaignDevice, UpdateCampaignProgress } from '@lanyard/client/browser';
import { Alert, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { usePages } from '../api/pages.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Empty } from '../ui/empty.tsx';
import { Failure } from '../ui/failure.tsx';
import { count, moment } from '../ui/format.ts';
import { Listing } from '../ui/listing.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { ActionButton, Permitted } from '../ui/permitted.tsx';
import { type Column } from '../ui/table.tsx';
import { CampaignState } from './campaign-state.tsx';

const readAgain = [
  'GET /v3/update-campaigns/{id}',
  'GET /v3/update-campaigns/{id}/progress',
  'GET /v3/update-campaigns',
] as const;

const everyMs = 3_000;

const actions = [
  { label: 'Try the selection', operation: 'POST /v3/update-campaigns/{id}/dry-run', from: ['draft'] },
  { label: 'Start', operation: 'POST /v3/update-campaigns/{id}/start', from: ['draft'] },
  { label: 'Pause', operation: 'POST /v3/update-campaigns/{id}/pause', from: ['running', 'scheduled'] },
  { label: 'Resume', operation: 'POST /v3/update-campaigns/{id}/resume', from: ['paused'] },
  { label: 'Abort', operation: 'POST /v3/update-campaigns/{id}/abort', from: ['running', 'scheduled', 'paused'] },
] as const;

type Action = (typeof actions)[number];

const ActionOf = ({ action: { label, operation }, id }: { action: Action; id: string }) => {
  const change = useChange(operation, readAgain);
  return (
    <>
      <ActionButton
        needs="campaigns"
        variant={label === 'Start' ? 'filled' : 'default'}
        loading={change.isPending}
        onClick={() => change.mutate({ path: { id } })}
      >
        {label}
      </ActionButton>
      {change.error && <Failure error={change.error} />}
    </>
  );
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
        {count(progress.devices)} devices
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
    answer={usePages('GET /v3/update-campaigns/{id}/devices', { path: { id } }, { everyMs })}
    columns={deviceColumns}
    keyOf={({ id: of }) => of}
    empty={
      <Empty icon="devices" title="No devices yet">
        They are selected when the campaign starts.
      </Empty>
    }
  />
);

const aboutOf = ({ state, firmware_version: version, started_at: at }: UpdateCampaign) => (
  <Group gap="xs">
    <CampaignState state={state} />
    <Text size="sm">
      installs {version}
      {at !== null && `, started ${moment(at)}`}
    </Text>
  </Group>
);

const KnownCampaign = ({ id }: { id: string }) => {
  const { data: campaign, error, refetch } = useRead('GET /v3/update-campaigns/{id}', { path: { id } }, { everyMs });
  const progress = useRead('GET /v3/update-campaigns/{id}/progress', { path: { id } }, { everyMs });
  if (error || !campaign)
    return (
      <Page title="Campaign">
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
      </Page>
    );
  const possible = actions.filter(({ from }) => (from as readonly string[]).includes(campaign.state));
  return (
    <Page
      title={campaign.name || campaign.id}
      about={aboutOf(campaign)}
      actions={possible.map((action) => (
        <ActionOf key={action.label} action={action} id={id} />
      ))}
    >
      {campaign.reason !== null && <Alert color="orange">{campaign.reason}</Alert>}
      {campaign.dry_run?.state === 'done' && (
        <Alert color="blue" title={`${count(campaign.dry_run.devices)} devices would be selected`}>
          {count(campaign.dry_run.ready)} would be updated at once, {count(campaign.dry_run.asleep)} sleep,{' '}
          {count(campaign.dry_run.not_registered)} are not registered, {count(campaign.dry_run.suspended)} are
          suspended, {count(campaign.dry_run.up_to_date)} have the version, {count(campaign.dry_run.busy)} are in
          another campaign.
        </Alert>
      )}
      <Panel title="Progress">
        {progress.data ? <ProgressOf progress={progress.data} /> : <Skeleton height={60} />}
      </Panel>
      <Panel title="Devices" flush>
        <Devices id={id} />
      </Panel>
    </Page>
  );
};

/** One campaign: its progress in total and by device, and what can be done with it. */
const CampaignPage = () => {
  const { id = '' } = useParams({ strict: false });
  return (
    <Permitted needs="campaigns">
      <KnownCampaign id={id} />
    </Permitted>
  );
};

export default CampaignPage;
