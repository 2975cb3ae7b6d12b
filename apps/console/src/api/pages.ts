import type { InputOf, Operation } from '@lanyard/client/browser';
import { type ReadOptions, useRead } from './queries.ts';
import { settled, useTurning } from './turning.ts';

/** Rows of a page, unless a list says otherwise. */
const pageRows = 50;

/** Reads a list page by page: `Listing` shows it and has the buttons. */
export const usePages = <K extends Operation>(operation: K, input: InputOf<K>, options: ReadOptions = {}) => {
  const { after, turning } = useTurning();
  const query = {
    limit: pageRows,
    ...(input as { query?: object }).query,
    ...(after !== undefined && { after }),
  };
  const answer = useRead(operation, { ...input, query }, { keeps: true, ...options });
  const { data, error, refetch, isPlaceholderData } = answer;
  return { data, error, refetch, turning: settled(turning, isPlaceholderData) };
};
