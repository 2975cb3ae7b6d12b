import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

/** What `useRead` returns. */
export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

export interface AnsweredProps<T> {
  answer: Answer<T>;
  /** Of what is shown while the answer is on its way. */
  height?: number;
  children: (data: T) => ReactNode;
}

/** Shows an answer; or why there is none, or that it is on its way. */
export const Answered = <T,>({ answer: { data, error, refetch }, height = 160, children }: AnsweredProps<T>) => {
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton height={height} /> : children(data);
};
