import type { InputOf, Operation } from '@lanyard/client/browser';
import { useState } from 'react';
import { type ReadOptions, useRead } from './queries.ts';

/** Rows of a page, if a list does not say otherwise. */
const pageRows = 50;

/** How a list is turned over. */
export interface Turning {
  /** Counted from 1. */
  page: number;
  /** The page behind the row with this id. */
  next: (lastId: string) => void;
  previous: () => void;
}

/** Reads a list page by page: `Listing` shows it and has the buttons. */
export const usePages = <K extends Operation>(operation: K, input: InputOf<K>, options: ReadOptions = {}) => {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const after = cursors.at(-1);
  const query = {
    limit: pageRows,
    ...(input as { query?: object }).query,
    ...(after !== undefined && { after }),
  };
  const { data, error, refetch } = useRead(operation, { ...input, query }, { keeps: true, ...options });
  const turning: Turning = {
    page: cursors.length + 1,
    next: (lastId) => setCursors([...cursors, lastId]),
    previous: () => setCursors(cursors.slice(0, -1)),
  };
  return { data, error, refetch, turning };
};
