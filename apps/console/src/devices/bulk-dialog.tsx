import { Loader, Progress, Select, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Choice, useDeviceGroups, useSuspensionCategories } from '../api/choices.ts';
import { count, counted, Failure, FormDialog, Notice } from '../ui/index.ts';
import { addToGroup, changeSuspension, countOf } from './bulk.ts';
import type { Selection } from './selection.ts';

export type BulkAction = 'suspend' | 'resume' | 'group';

const words: Record<BulkAction, { title: string; verb: string; done: string }> = {
  suspend: { title: 'Suspend devices', verb: 'Suspend', done: 'suspended' },
  resume: { title: 'Resume devices', verb: 'Resume', done: 'resumed' },
  group: { title: 'Add devices to a group', verb: 'Add', done: 'added to the group' },
};

const consequence: Record<BulkAction, string> = {
  suspend:
    'The devices are disconnected, and their connections are rejected until they are resumed. Commands that wait for them fail, and their subscriptions end; subscriptions created by presubscription rules are restored when they register again.',
  resume: 'The devices may connect again.',
  group: 'The devices also stay in their other groups.',
};

interface BulkDialogProps {
  action: BulkAction;
  selection: Selection;
  onClose: () => void;
}

/** The categories, or the groups, of which one has to be chosen. */
const useChoices = (action: BulkAction): { label: string; data: Choice[] } => {
  const categories = useSuspensionCategories();
  const groups = useDeviceGroups();
  return action === 'group' ? { label: 'Group', data: groups } : { label: 'Category', data: categories };
};

/** First says how many devices an action concerns, then does it and shows how far it is. */
export const BulkDialog = ({ action, selection, onClose }: BulkDialogProps) => {
  const { title, verb, done } = words[action];
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [progress, setProgress] = useState(0);
  const { label, data } = useChoices(action);
  const choice = chosen ?? (action === 'group' ? null : (data[0]?.value ?? null));
  const dryRun = useQuery({
    queryKey: ['dry run', action, selection, choice],
    queryFn: () =>
      action === 'group'
        ? countOf(selection)
        : changeSuspension(selection, { action, category: choice as string }, { isDryRun: true }),
    enabled: action === 'group' || choice !== null,
    staleTime: 0,
    gcTime: 0,
  });
  const run = useMutation({
    mutationFn: () =>
      action === 'group'
        ? addToGroup(selection, choice as string, setProgress)
        : changeSuspension(selection, { action, category: choice as string }, { onProgress: setProgress }),
    onSettled: () => client.invalidateQueries({ queryKey: ['GET /v3/devices'] }),
  });
  const n = dryRun.data;
  const isDone = run.data !== undefined;
  return (
    <FormDialog
      title={title}
      verb={`${verb} ${n === undefined ? '' : counted(n, 'device')}`}
      needs={action === 'group' ? 'devices.write' : 'devices.suspend'}
      change={run}
      onSubmit={() => run.mutate()}
      onClose={onClose}
      unavailable={choice === null || !n ? 'The action would not change any device.' : undefined}
      isDangerous={action === 'suspend'}
      isDone={isDone}
    >
      <Select
        label={label}
        data={data}
        value={choice}
        onChange={setChosen}
        allowDeselect={false}
        disabled={run.isPending || isDone}
      />
      {action === 'group' && data.length === 0 && (
        <Text size="sm" c="dimmed">
          The account has no device group yet: create one on the page Groups.
        </Text>
      )}
      {!isDone && dryRun.isFetching && <Loader size="sm" aria-label="Counting" />}
      {n !== undefined && !isDone && (
        <Text size="sm">
          This concerns <b>{counted(n, 'device')}</b>
          {action === 'group' ? '' : ` that ${n === 1 ? 'is' : 'are'} not ${done} yet`}. {consequence[action]}
        </Text>
      )}
      {dryRun.error && <Failure error={dryRun.error} onRetry={() => void dryRun.refetch()} />}
      {run.isPending && n !== undefined && (
        <Progress
          value={n === 0 ? 100 : (progress / n) * 100}
          aria-label={`${count(progress)} of ${count(n)}`}
          animated
        />
      )}
      {run.data !== undefined && (
        <Notice tone="good" role="status">
          {counted(run.data, 'device')} {run.data === 1 ? 'has' : 'have'} been {done}.
        </Notice>
      )}
    </FormDialog>
  );
};
