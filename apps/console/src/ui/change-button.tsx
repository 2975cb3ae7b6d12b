import type { AnswerOf, InputOf, Operation } from '@lanyard/client/browser';
import { useRef } from 'react';
import { useChange } from '../api/queries.ts';
import { Failure } from './failure.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { ActionButton, type ActionButtonProps } from './permitted.tsx';

interface ChangeButtonProps<K extends Operation> extends ActionButtonProps {
  operation: K;
  input: InputOf<K>;
  /** Operations that are read again afterwards. */
  changes: readonly Operation[];
  onDone?: (answer: AnswerOf<K>) => void;
  /** What is lost if the person leaves the page before the answer: they are asked first. */
  ifLeft?: string;
}

/** A button that changes something at once, and shows why a change has failed. */
export const ChangeButton = <K extends Operation>(props: ChangeButtonProps<K>) => {
  const { operation, input, changes, onDone, ifLeft, ...button } = props;
  const change = useChange(operation, changes);
  // A second click may come before the change is drawn as pending.
  const isRunning = useRef(false);
  const run = (): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    change.mutate(input, {
      onSuccess: (answer) => onDone?.(answer),
      onSettled: () => {
        isRunning.current = false;
      },
    });
  };
  return (
    <>
      <ActionButton variant="default" {...button} loading={change.isPending} onClick={run} />
      {change.error && <Failure error={change.error} />}
      {ifLeft !== undefined && <LeaveQuestion isRunning={change.isPending}>{ifLeft}</LeaveQuestion>}
    </>
  );
};
