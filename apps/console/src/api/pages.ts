import type { InputOf, Operation } from '@lanyard/client/browser';
import { useState } from 'react';
import { type ReadOptions, useRead } from './queries.ts';

/** Rows of a page, unless a list says otherwise. */
const pageRows = 50;

/** Pages of a list, and how to turn to the next or previous one. */
export interface Turning {
  /** Counted from 1. */
  page: number;
  /** Turns to the page after the row with this id. */
  next: (lastId: string) => void;
  previous: () => void;
}

/** The page of a list that is shown: the one after the row `after`, or the first one if that is undefined. */
export const useTurning = () => {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const turning: Turning = {
    page: cursors.length + 1,
    // While a page is being read, the previous one is still shown, and its last row leads to the same page again.
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
