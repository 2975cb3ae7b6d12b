import { NoAnswer, ServiceUnavailable, TooManyRequests } from '@lanyard/client/browser';
import { Box, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

/** The result of `useRead`. */
export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

export interface AnsweredProps<T> {
  answer: Answer<T>;
  /** Height of the placeholder while the answer is being read. */
  height?: number;
  children: (data: T) => ReactNode;
}

/** Whether an error leaves the previous answer valid. */
const keepsAnswer = (error: unknown): boolean =>
  error instanceof NoAnswer || error instanceof ServiceUnavailable || error instanceof TooManyRequests;

/** Whether the last answer is shown: it exists, and no later error says that it is no longer valid. */
export const isShown = <T,>({ data, error }: Answer<T>): boolean =>
  data !== undefined && (error === null || keepsAnswer(error));

/**
 * Shows an answer, or why there is none, or that it is being read. If reading it again fails, the old answer stays, with the
 * input that a person has begun in it. If the gateway cannot be reached, the banner of the page says so.
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
