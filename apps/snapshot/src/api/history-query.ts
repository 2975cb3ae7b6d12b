import { isPath, parsePath } from '@lanyard/lwm2m';
import type { HistoryQuery } from '../history/history-reader.js';
import { historyPoints } from '../limits.js';
import { type Given, Parameters } from './parameters.js';

export type HistoryParameters = Given<'path' | 'from' | 'to' | 'points'>;

const dayMs = 86_400_000;

/** Throws ValidationFailed. */
export const readHistoryQuery = (given: HistoryParameters, nowMs: number): HistoryQuery => {
  const parameters = new Parameters(given);
  const path = parameters.text('path');
  if (!isPath(path) || parsePath(path).resource === undefined)
    parameters.refuse('path', 'Must be the path of a resource, for example /3303/0/5700');
  const toMs = parameters.time('to', nowMs);
  const fromMs = parameters.time('from', toMs - dayMs);
  if (fromMs >= toMs) parameters.refuse('from', 'Must be before `to`');
  const points = parameters.wholeNumber('points', historyPoints);
  parameters.check();
  return { path, fromMs, toMs, points };
};
