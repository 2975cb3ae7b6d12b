import { Loader, Progress, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useDeviceGroups, useSuspensionCategories } from '../api/choices.ts';
import { useAction } from '../api/queries.ts';
import { count, counted, Failure, FormDialog, LeaveQuestion, Notice, suspensionEffect } from '../ui/index.ts';
import { type Bulk, dryRunOf, runBulk } from './bulk.ts';
import type { Selection } from './selection.ts';

export type BulkAction = Bulk['action'];

interface Words {
  title: string;
  verb: string;
  done: string;
  /** Which devices of the selection it concerns, one of them or several. */
  concerned: readonly [one: string, several: string];
  consequence: string;
}

const words: Record<BulkAction, Words> = {
  suspend: {
    title: 'Suspend devices',
    verb: 'Suspend',
    done: 'suspended',
    concerned: ['that is not suspended with this category yet', 'that are not suspended with this category yet'],
    consequence: suspensionEffect.several,
  },
  resume: {
    title: 'Resume devices',
    verb: 'Resume',
    done: 'resumed',
    concerned: ['that is suspended', 'that are suspended'],
    consequence: 'The devices may connect again.',
  },
  add: {
    title: 'Add devices to a group',
    verb: 'Add',
    done: 'added to the group',
    concerned: ['that is not in the group yet', 'that are not in the group yet'],
    consequence:
      'The devices also stay in their other groups. Keys that are limited to this group see them from now on.',
  },
  remove: {
    title: 'Remove devices from a group',
    verb: 'Remove',
    done: 'removed from the group',
    concerned: ['that is in the group', 'that are in the group'],
    consequence:
      'The devices also stay in their other groups. Keys that are limited to this group alone no longer see them.',
  },
};

export interface BulkDialogProps {
  action: BulkAction;
  selection: Selection;
  /** The group whose devices the list shows. */
  groupId: string | undefined;
  onClose: () => void;
}

/** The categories or the groups from which one has to be chosen, and the initial choice. */
const useChoices = (action: BulkAction, groupId: string | undefined) => {
  const categories = useSuspensionCategories();
  const groups = useDeviceGroups();
  const isCategory = action === 'suspend' || action === 'resume';
  const { input, areNone } = isCategory ? categories : groups;
  const first = isCategory ? input.data[0]?.value : action === 'remove' ? groupId : undefined;
  return { label: isCategory ? 'Category' : 'Group', input, areNone, first: first ?? null };
};

const bulkOf = (action: BulkAction, choice: string): Bulk =>
  action === 'suspend' || action === 'resume' ? { action, category: choice } : { action, groupId: choice };

/** `3 of 11 devices are done, 8 are left.` */
const progressText = (progress: number, n: number): string => {
  const left = Math.max(0, n - progress);
  const are = (some: number) => (some === 1 ? 'is' : 'are');
  return `${count(progress)} of ${counted(n, 'device')} ${are(progress)} done, ${count(left)} ${are(left)} left.`;
};

/** The outcome of an action that may have been stopped, or have failed. */
const Outcome = ({ n, done, isComplete }: { n: number; done: string; isComplete: boolean }) => (
  <Notice
    tone={isComplete ? 'good' : 'warning'}
    role="status"
    title={isComplete ? undefined : 'Stopped before the end'}
  >
    {counted(n, 'device')} {n === 1 ? 'has' : 'have'} been {done}.
  </Notice>
);

/** Runs an action and reports its progress. It also stops when the page is left, because no button could stop it then. */
const useBulkRun = (selection: Selection) => {
  const [progress, setProgress] = useState(0);
  const [isStopped, setIsStopped] = useState(false);
  const [stopper, setStopper] = useState<AbortController>();
  useEffect(() => () => stopper?.abort(), [stopper]);
  const change = useAction(
    ({ bulk, signal }: { bulk: Bulk; signal: AbortSignal }) =>
      runBulk(selection, bulk, { signal, onProgress: setProgress }),
    ['GET /v3/devices', 'GET /v3/device-groups'],
  );
  const begin = (bulk: Bulk): void => {
    const own = new AbortController();
    setStopper(own);
    setIsStopped(false);
    setProgress(0);
    change.mutate({ bulk, signal: own.signal });
  };
  const stop = (): void => {
    setIsStopped(true);
    stopper?.abort();
  };
  return { change, begin, stop, progress, isStopped };
};

/** First shows how many devices an action concerns, then performs it and shows its progress. */
export const BulkDialog = ({ action, selection, groupId, onClose }: BulkDialogProps) => {
  const { title, verb, done, concerned, consequence } = words[action];
  const [chosen, setChosen] = useState<string | null>(null);
  const { label, input, areNone, first } = useChoices(action, groupId);
  const choice = chosen ?? first;
  const { change: run, begin, stop, progress, isStopped } = useBulkRun(selection);
  const dryRun = useQuery({
    queryKey: ['dry run', action, selection, choice],
    queryFn: ({ signal }) => dryRunOf(selection, bulkOf(action, choice as string), signal),
    // While the action runs, its progress is compared with the number from before it began.
    enabled: choice !== null && (run.isIdle || run.isError),
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  });
  const n = dryRun.data;
  const isDone = run.isSuccess;
  const isComplete = isDone && !(isStopped && progress < (n ?? 0));
  const missing =
    (choice === null && `Choose a ${label.toLowerCase()}.`) ||
    (dryRun.isFetching && 'The devices are being counted.') ||
    (n === undefined && 'The devices could not be counted.') ||
    (n === 0 && 'The action would not change any device.');
  return (
    <FormDialog
      title={title}
      verb={`${verb} ${n === undefined ? '' : counted(n, 'device')}`}
      needs={action === 'suspend' || action === 'resume' ? 'devices.suspend' : 'devices.write'}
      change={run}
      onSubmit={() => choice !== null && begin(bulkOf(action, choice))}
      onStop={stop}
      onClose={onClose}
      unavailable={missing || undefined}
      isDangerous={action === 'suspend'}
      isDone={isDone}
    >
      <Select
        label={label}
        {...input}
        value={choice}
        onChange={setChosen}
        allowDeselect={false}
        disabled={run.isPending || isDone}
      />
      {label === 'Group' && areNone && (
        <Text size="sm" c="dimmed">
          The account has no device group yet: create one on the page Groups.
        </Text>
      )}
      {dryRun.isFetching && <Loader size="sm" role="status" aria-label="Counting" />}
      {n !== undefined && !isDone && (
        <Text size="sm">
          This concerns <b>{counted(n, 'device')}</b> {concerned[n === 1 ? 0 : 1]}. {consequence}
        </Text>
      )}
      {dryRun.error && <Failure error={dryRun.error} onRetry={() => void dryRun.refetch()} />}
      {run.isPending && n !== undefined && (
        <>
          <Progress
            value={n === 0 ? 100 : (progress / n) * 100}
            aria-label={`${count(progress)} of ${count(n)}`}
            animated
          />
          <Text size="sm">{progressText(progress, n)}</Text>
        </>
      )}
      <LeaveQuestion isRunning={run.isPending && !isStopped}>
        {progressText(progress, n ?? 0)} If you leave, the action stops after the devices that are being changed.
      </LeaveQuestion>
      {run.isPending && isStopped && (
        <Text size="sm" role="status">
          The action stops after the devices that are being changed.
        </Text>
      )}
      {(isDone || run.isError) && <Outcome n={progress} done={done} isComplete={isComplete} />}
    </FormDialog>
  );
};
