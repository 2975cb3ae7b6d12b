import { Button, Group, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { Dialog } from './form-dialog.tsx';

interface Step {
  current: { pathname: string };
  next: { pathname: string };
}

/** A different search on the same page does not leave the page. */
const leavesPage = ({ current, next }: Step): boolean => current.pathname !== next.pathname;

const everyStep = (): boolean => true;

interface LeaveQuestionProps {
  /** Whether an action runs that stops when the page is left, or something is shown that cannot be shown again. */
  isRunning: boolean;
  /** Whether another tab of the page ends it, too. */
  endsWithTab?: boolean;
  /** The progress of the action, and what happens to it. */
  children: ReactNode;
}

/**
 * Asks before the page is left while an action runs, and offers to stay. When a tab is closed or its page is loaded again,
 * the browser asks in its own words.
 */
export const LeaveQuestion = ({ isRunning, endsWithTab = false, children }: LeaveQuestionProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: endsWithTab ? everyStep : leavesPage,
    enableBeforeUnload: isRunning,
    disabled: !isRunning,
    withResolver: true,
  });
  // The action has ended meanwhile, and the page shows its outcome.
  useEffect(() => {
    if (!isRunning) reset?.();
  }, [isRunning, reset]);
  const stay = useEffectEvent(() => reset?.());
  // The page may close its dialog together with the action. Unanswered, a step back would have changed the URL alone.
  useEffect(() => () => stay(), []);
  if (status !== 'blocked') return null;
  return (
    <Dialog title="Leave this page?" onClose={reset}>
      <Text size="sm">{children}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={proceed}>
          Leave
        </Button>
        <Button data-autofocus onClick={reset}>
          Stay
        </Button>
      </Group>
    </Dialog>
  );
};
