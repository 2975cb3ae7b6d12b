import { Box, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLostSince } from '../api/connection.ts';
import { type Answer, isErrorShown, isShown } from './answer.ts';
import { Failure } from './failure.tsx';

export interface AnsweredProps<T> {
  answer: Answer<T>;
  /** Height of the placeholder while the answer is being read. */
  height?: number;
  children: (data: T) => ReactNode;
}

/**
 * Shows an answer, or why there is none, or that it is being read. If reading it again fails, the old answer stays, with the
 * input that a person has begun in it.
 */
export const Answered = <T,>({ answer, height = 160, children }: AnsweredProps<T>) => {
  const isLost = useLostSince() !== undefined;
  const { data, error, refetch } = answer;
  const failure = error !== null && <Failure error={error} onRetry={() => void refetch()} />;
  if (!isShown(answer)) return failure || <Skeleton height={height} />;
  return (
    <>
      {isErrorShown(error, isLost) && <Box mb="md">{failure}</Box>}
      {children(data as T)}
    </>
  );
};
