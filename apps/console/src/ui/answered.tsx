import { NoAnswer, ServiceUnavailable, TooManyRequests } from '@lanyard/client/browser';
import { Box, Skeleton } from '@mantine/core';
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

/** Whether an error says nothing about the answer before it. */
const isNoNews = (error: unknown): boolean =>
  error instanceof NoAnswer || error instanceof ServiceUnavailable || error instanceof TooManyRequests;

/** Whether the last answer is shown: there is one, and no later one says that it does not hold any more. */
export const isShown = <T,>({ data, error }: Answer<T>): boolean =>
  data !== undefined && (error === null || isNoNews(error));

/**
 * Shows an answer, or why there is none, or that it is on its way. An answer that was read again without success stays,
 * with what a person has begun in it. If nothing answers, the banner of the page says so.
 */
export const Answered = <T,>({ answer, height = 160, children }: AnsweredProps<T>) => {
  const { data, error, refetch } = answer;
  const failure = error !== null && <Failure error={error} onRetry={() => void refetch()} />;
  if (!isShown(answer)) return failure || <Skeleton height={height} />;
  return (
    <>
      {failure && !(error instanceof NoAnswer) && <Box mb="md">{failure}</Box>}
      {children(data as T)}
    </>
  );
};
