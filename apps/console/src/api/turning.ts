import { useState } from 'react';

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
    next: (lastId) => setCursors((before) => [...before, lastId]),
    previous: () => setCursors((before) => before.slice(0, -1)),
  };
  return { after: cursors.at(-1), turning };
};

/**
 * While a page is being read, the rows of another one are still shown. After their last row comes the page that is being
 * read, or after turning back, one behind it: `next` waits.
 */
export const settled = (turning: Turning, isOfOtherPage: boolean): Turning =>
  isOfOtherPage ? { ...turning, next: () => undefined } : turning;
