import { resolutions, statisticsStepsMax } from '../statistics/counts.js';
import type { StatisticsQuery } from '../statistics/statistics-reader.js';
import { type Given, Parameters } from './parameters.js';

export type StatisticsParameters = Given<'step_seconds' | 'from' | 'to'>;

/** The range covers whole steps, the last of which may not be over, and nothing older than what is kept. */
export const readStatisticsQuery = (given: StatisticsParameters, nowMs: number): StatisticsQuery => {
  const parameters = new Parameters(given);
  const text = parameters.text('step_seconds');
  const resolution = resolutions.find(({ stepSeconds }) => text === '' || Number(text) === stepSeconds);
  if (!resolution) parameters.refuse('step_seconds', `Must be ${resolutions.map((r) => r.stepSeconds).join(' or ')}`);
  const { stepSeconds, keptMs, defaultRangeMs } = resolution ?? resolutions[0];
  const stepMs = stepSeconds * 1_000;
  const toMs = Math.min(parameters.time('to', nowMs), nowMs);
  const fromMs = parameters.time('from', toMs - defaultRangeMs);
  if (fromMs >= toMs) parameters.refuse('from', 'Must be in the past, and before `to`');
  const firstMs = Math.floor(Math.max(fromMs, nowMs - keptMs) / stepMs) * stepMs;
  const endMs = Math.max(firstMs, Math.ceil(toMs / stepMs) * stepMs);
  if ((endMs - firstMs) / stepMs > statisticsStepsMax)
    parameters.refuse('from', `At most ${statisticsStepsMax} steps: choose a shorter range`);
  parameters.check();
  return { stepSeconds, fromMs: firstMs, toMs: endMs };
};
