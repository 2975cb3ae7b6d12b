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

/** Which page of a list is shown: the one behind the row `after`; undefined: the first one. */
export const useTurning = () => {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const turning: Turning = {
    page: cursors.length + 1,
    // While a page is on its way, the one before it is shown, and leads to the same page again.
    next: (lastId) => setCursors((before) => (before.at(-1) === lastId ? before : [...before, lastId])),
    previous: () => setCursors((before) => before.slice(0, -1)),
  };
  return { after: cursors.at(-1), turning };
};

/** Reads a list page by page: `Listing` shows it and has the buttons. */
export const usePages = <K extends Operation>(operation: K, input: InputOf<K>, options: ReadOptions = {}) => {
  const { after, turning } = useTurning();
  const query = {
    limit: pageRows,
    ...(input as { query?: object }).query,
    ...(after !== undefined && { after }),
  };
  const { data, error, refetch } = useRead(operation, { ...input, query }, { keeps: true, ...options });
  return { data, error, refetch, turning };
};
