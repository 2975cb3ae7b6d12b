/** Options of the load for a drill or an upgrade. */
import { wholeNumber } from '../lanyard/command-line.ts';

export const loadUsage = '[--devices N] [--values-per-second N] [--calls-per-second N] [--settle-seconds N]';

export const loadOptions = {
  devices: { type: 'string', default: '40' },
  'values-per-second': { type: 'string', default: '40' },
  'calls-per-second': { type: 'string', default: '20' },
  'settle-seconds': { type: 'string', default: '3' },
} as const;

/** Throws Stop for a value that is not a number. */
export const readLoad = (values: Record<keyof typeof loadOptions, string>) => ({
  devices: wholeNumber('devices', values.devices, 1),
  valuesPerSecond: wholeNumber('values-per-second', values['values-per-second']),
  callsPerSecond: wholeNumber('calls-per-second', values['calls-per-second']),
  settleMs: wholeNumber('settle-seconds', values['settle-seconds']) * 1_000,
});
